"""Greedy text judged along itself: at every place the emitted token must be the target's likeliest after the engine's own text so far.

So one near tie, after which two texts have nothing in common, counts once. A gap is the difference of two log-probabilities in nats, which
is that of the two logits after penalties and bans.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from draftproof.audit.law.rows import Text, forced, laws_along
from draftproof.models.protocol import Model
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Sampling

CUTS = (
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
    "top_n_sigma",
    "xtc_probability",
    "xtc_threshold",
    "mirostat",
    "mirostat_tau",
    "mirostat_eta",
)
"""Rules that never change which token is the likeliest, or have no meaning where it is taken; they would hide how near the next one is."""


def greedy(params: SamplingParams) -> SamplingParams:
    """The rules that take the likeliest token, with the penalties and bans of `params`."""
    uncut: dict[str, Any] = {field.name: field.default for field in fields(params) if field.name in CUTS}
    return replace(params, temperature=0.0, **uncut)


class Difference(NamedTuple):
    """A place at which the emitted token is not the likeliest.

    Attributes:
        text: its number among those judged.
        place: of the token in it.
        emitted, likeliest: tokens.
        gap: between the two, nats.
    """

    text: int
    place: int
    emitted: int
    likeliest: int
    gap: float


@dataclass(frozen=True)
class GreedyText:
    """Greedy texts against the target.

    Attributes:
        places: judged.
        close: of those, places where the two likeliest tokens are within the tolerance of each other.
        differences: places where another token than the likeliest was emitted, in order.
        tolerance: the largest gap that rounding may explain, nats.
    """

    places: int
    close: int
    differences: tuple[Difference, ...]
    tolerance: float

    @property
    def near_ties(self) -> tuple[Difference, ...]:
        """The differences that rounding may explain."""
        return tuple(one for one in self.differences if one.gap <= self.tolerance)

    @property
    def wrong(self) -> tuple[Difference, ...]:
        """The differences that it may not."""
        return tuple(one for one in self.differences if not one.gap <= self.tolerance)


def judge_greedy(target: Model, rules: Sampling, texts: Sequence[Text], *, tolerance: float) -> GreedyText:
    """Hold every token of greedy texts against the target.

    Args:
        rules: those that held, but at temperature 1.
    """
    places = close = 0
    differences = []
    for number, (text, logits) in enumerate(zip(texts, forced(target, texts), strict=True)):
        if not len(text.tokens):
            continue
        with np.errstate(divide="ignore"):
            logs = np.log(laws_along(rules, text, logits))
        tokens, rows = np.asarray(text.tokens), np.arange(len(text.tokens))
        two = np.partition(logs, -2, axis=-1)[:, -2:] if logs.shape[-1] > 1 else np.full((len(rows), 2), -np.inf)
        likeliest = logs.argmax(-1)
        gaps = logs[rows, likeliest] - logs[rows, tokens]
        places += len(rows)
        close += int((two[:, 1] - two[:, 0] <= tolerance).sum())
        differences += [
            Difference(number, int(place), int(tokens[place]), int(likeliest[place]), float(gaps[place]))
            for place in np.flatnonzero(tokens != likeliest)
        ]
    return GreedyText(places, close, tuple(differences), tolerance)
