"""What each sampling rule does to a row, as a table and as JSON values."""

import math
from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from draftproof.sampling.explain import Effect

SHOWN = 12
"""Tokens of the final law that a reader is shown."""


def effect_table(effects: Sequence[Effect]) -> Table:
    """A line a step."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("step", no_wrap=True)
    for name in ("mass removed", "tokens left", "entropy (nats)"):
        table.add_column(name, justify="right")
    for effect in effects:
        table.add_row(Text(effect.name, style="cyan"), f"{effect.mass_removed:.4g}", str(effect.tokens_left), f"{effect.entropy_nats:.4f}")
    return table


def final_table(effects: Sequence[Effect]) -> Table:
    """The likeliest tokens, before and after all steps."""
    before, after = effects[0].law, effects[-1].law
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("token", "model", "sampled"):
        table.add_column(name, justify="right")
    table.add_column("")
    for token in sorted(range(len(after)), key=lambda token: (-after[token], -before[token], token))[:SHOWN]:
        table.add_row(str(token), f"{before[token]:.4f}", f"{after[token]:.4f}", Text("█" * math.ceil(30 * after[token]), style="green"))
    return table


def effects_content(effects: Sequence[Effect], *, dialect: str, chain: str) -> dict[str, Any]:
    """The steps as JSON values, with the law after each."""
    return {
        "dialect": dialect,
        "chain": chain,
        "evidence": "law",
        "steps": [
            {
                "name": effect.name,
                "settings": {name: _plain(value) for name, value in effect.parameters.items()},
                "mass_removed": effect.mass_removed,
                "tokens_left": effect.tokens_left,
                "entropy_nats": effect.entropy_nats,
                "law": effect.law.tolist(),
            }
            for effect in effects
        ],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float | str | None) else str(value)
