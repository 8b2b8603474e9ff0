"""What may be wrong with an engine, as laws that its tokens might follow instead of the target's.

A suspect is a law at every place of a text, made of what is known before the token there. The tokens of a faulty engine follow, for some
share e, `(1 - e) p + e a`, with p the target's law and a the suspect's. The mechanisms are those of `proof.zoo.member.MECHANISMS`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from draftproof.audit.law.rows import Rows
from draftproof.rules.greedy import greedy_law
from draftproof.sampling.params import PENALTIES, SamplingParams
from draftproof.shapes import Shaped

LARGEST_RATIO = 1e15
"""Stands for the infinite: a token that the target forbids refutes at once, at any error rate that is asked for."""

WARMER, COLDER = 0.8, 1.25
"""Powers of the target's law: temperatures a quarter above and a fifth below the one that was asked for."""

LENIENCE = 0.5
"""A draft token is kept with min(1, p / (LENIENCE q)): twice as easily as it may."""


SELDOM = 1e-3
"""How often a forbidden token is suspected. One is enough to refute, so a bet on it must not be lost while none comes."""


@dataclass(frozen=True)
class Suspect:
    """A law that tokens may follow by a fault.

    Attributes:
        name: for reports.
        law: from the rows along a text to (tokens, vocab).
        mechanism: of the zoo's.
        says: what an engine does that follows it.
    """

    name: str
    law: Callable[[Rows], Shaped[np.ndarray, "tokens vocab"]]
    mechanism: str
    says: str


def draft_leakage(rows: Rows) -> np.ndarray:
    assert rows.draft is not None
    return rows.draft


def full_fallback(rows: Rows) -> np.ndarray:
    """The draft is kept as often as it may, and a refused token is replaced by one from the whole target."""
    assert rows.draft is not None
    kept = np.minimum(rows.target, rows.draft)
    return kept + _missing(kept) * rows.target


def lenient(rows: Rows) -> np.ndarray:
    """Drafts are kept too easily, and what is missing is drawn from the residual."""
    assert rows.draft is not None
    kept = np.minimum(rows.draft, rows.target / LENIENCE)
    residual = (rows.target - rows.draft).clip(min=0)
    mass = residual.sum(-1, keepdims=True)
    return kept + _missing(kept) * np.where(mass > 0, residual / np.where(mass > 0, mass, 1), rows.target)


def _missing(kept: np.ndarray) -> np.ndarray:
    """The probability that is not kept; rounding may leave a sum a hair above 1."""
    return (1 - kept.sum(-1, keepdims=True)).clip(min=0)


def draft_likeliest(rows: Rows) -> np.ndarray:
    assert rows.draft is not None
    return greedy_law(rows.draft)


def likeliest(rows: Rows) -> np.ndarray:
    return greedy_law(rows.target)


def uniform(rows: Rows) -> np.ndarray:
    return np.full_like(rows.target, 1 / rows.target.shape[-1])


def row_before(rows: Rows) -> np.ndarray:
    """The target's law of the place before; at the first place its own."""
    return rows.target[[0, *range(len(rows.target) - 1)]] if len(rows.target) else rows.target


def forbidden(rows: Rows) -> np.ndarray:
    """Now and then a token of those to which the target gives probability 0."""
    none = rows.target == 0
    count = none.sum(-1, keepdims=True)
    return np.where(count > 0, (1 - SELDOM) * rows.target + SELDOM * none / np.maximum(count, 1), rows.target)


def powered(power: float) -> Callable[[Rows], np.ndarray]:
    def law(rows: Rows) -> np.ndarray:
        raised = rows.target**power
        return raised / raised.sum(-1, keepdims=True)

    return law


OF_TARGET = (
    Suspect("forbidden token", forbidden, "M13", "emits tokens that the sampling rules forbid"),
    Suspect("argmax", likeliest, "M5", "takes the likeliest token where it should sample"),
    Suspect("warmer", powered(WARMER), "M2", "samples at a higher temperature than was asked for"),
    Suspect("colder", powered(COLDER), "M2", "samples at a lower temperature than was asked for"),
    Suspect("neighbouring row", row_before, "M8", "takes the row of the place before"),
    Suspect("uniform", uniform, "M16", "emits tokens that have nothing to do with the text, as from a broken cache"),
)
"""What can be suspected of any engine."""

OF_DRAFT = (
    Suspect("draft leakage", draft_leakage, "M1", "lets drafted tokens through that should have been refused"),
    Suspect("full-target fallback", full_fallback, "M6", "replaces a refused token by one from the whole target, not from the residual"),
    Suspect("lenient acceptance", lenient, "M15", "keeps drafted tokens more easily than it may"),
    Suspect("draft argmax", draft_likeliest, "M1", "treats the draft's likeliest token as if it had been sampled"),
)
"""What can be suspected where the draft's law is known."""

WITHOUT = {
    "temperature": 1.0,
    "top_k": 0,
    "top_p": 1.0,
    "min_p": 0.0,
    "typical_p": 1.0,
    "repetition_penalty": 1.0,
    "frequency_penalty": 0.0,
    "presence_penalty": 0.0,
    "logit_bias": (),
    "no_repeat_ngram_size": 0,
    "bad_words_ids": (),
    "allowed_token_ids": None,
}
"""Parameters that engines are known to drop, each with the value that has no effect."""


def dropped(params: SamplingParams) -> tuple[tuple[str, SamplingParams], ...]:
    """For each parameter that is in force, the rules without it."""
    in_force = [name for name in WITHOUT if name in params.given and not (name == "temperature" and params.temperature == 0)]
    return tuple((f"without {name}", _without(params, name)) for name in in_force)


def _without(params: SamplingParams, name: str) -> SamplingParams:
    changed: dict[str, Any] = {name: WITHOUT[name]}
    if not (params.given - {name}).intersection(PENALTIES):
        changed["penalty_last_n"] = None  # it would do nothing, and be refused
    return replace(params, **changed)


def without(name: str) -> Suspect:
    """The suspicion that a rule is left out; `name` is one of `dropped`."""
    return Suspect(name, lambda rows: rows.altered[name], "M2", f"samples {name}")


def suspects(*, draft: bool, altered: tuple[str, ...] = ()) -> tuple[Suspect, ...]:
    """All that can be suspected.

    Args:
        draft: whether the draft's law is known.
        altered: the names of `dropped`.
    """
    return (*(OF_DRAFT if draft else ()), *OF_TARGET, *map(without, altered))
