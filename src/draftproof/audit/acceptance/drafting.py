"""How an engine drafts, as far as it is known, and with which chance a drafted token is kept.

p is the target's law at a place and q the law that its draft is drawn from, both after every sampling rule.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from draftproof.audit.law.rows import Rows
from draftproof.errors import BadRequest
from draftproof.rules.bounds import coupled_overlap, overlap
from draftproof.rules.greedy import greedy_law
from draftproof.shapes import Shaped

Laws = Shaped[np.ndarray, "tokens vocab"]
Chances = Shaped[np.ndarray, " tokens"]


def _coupled(p: Laws, q: Laws) -> Chances:
    return np.array([coupled_overlap(one / one.sum(), other / other.sum()) for one, other in zip(p, q, strict=True)]).reshape(len(p))


def _agreement(p: Laws, q: Laws) -> Chances:
    return (p * q).sum(-1)


KEPT: dict[str, Callable[[Laws, Laws], Chances]] = {
    "rejection": overlap,
    "coupled": _coupled,
    "match": _agreement,
    "point_mass": _agreement,
    "greedy": _agreement,
}
"""By rule: the chance that a drafted token is kept, once it is reached. These rules settle one token after the other."""

KEPT_GIVEN: dict[str, Callable[[Chances, Chances], Chances]] = {
    "rejection": lambda p, q: np.minimum(p, q) / np.where(p > 0, p, 1),
    "match": lambda p, q: q,
    "point_mass": lambda p, q: q,
    "greedy": lambda p, q: q,
}
"""By rule: the chance that an emitted token was a kept draft, from its own p and q: the chance of both over that of the token."""


@dataclass(frozen=True)
class Drafting:
    """What is said of an engine's drafts.

    Attributes:
        width: the most tokens that one round drafts.
        rule: how they are verified, by a name of `KEPT`; None if that is not known.
        likeliest: whether the draft takes its likeliest token where it could draw one.

    Raises:
        BadRequest: no width, or a rule whose acceptance is not known beforehand.
    """

    width: int
    rule: str | None = None
    likeliest: bool = False

    def __post_init__(self) -> None:
        if self.width < 1:
            raise BadRequest(f"the width of a draft is {self.width}; it must be at least 1")
        if self.rule is not None and self.rule not in KEPT:
            raise BadRequest(f"it is not known how much the rule {self.rule!r} keeps; name one of {', '.join(KEPT)}, or none")

    @property
    def token_by_token(self) -> bool:
        """Whether no token can be kept for the sake of a later one, so that the ceiling of each place holds whatever stands before it."""
        return self.rule is not None or self.width == 1

    def draft(self, rows: Rows) -> Laws:
        """The law of a drafted token at each place of a text."""
        assert rows.draft is not None, "asked for where a draft is known"
        return greedy_law(rows.draft) if self.likeliest else rows.draft

    def ceilings(self, rows: Rows) -> Chances:
        """The most that any exact rule can keep of a token drafted at each place: see `rules.bounds.overlap`."""
        return np.asarray(overlap(rows.target, self.draft(rows))).clip(0, 1)

    def predicted(self, rows: Rows) -> Chances:
        """The chance with which the rule keeps a token drafted at each place; NaN without a rule."""
        if self.rule is None:
            return np.full(len(rows.tokens), np.nan)
        return np.asarray(KEPT[self.rule](rows.target, self.draft(rows))).clip(0, 1)

    def kept_given(self, rows: Rows) -> Chances | None:
        """The chance that each emitted token was a kept draft, if one was drafted there; None where that is not known."""
        if self.rule is None or self.rule not in KEPT_GIVEN:
            return None
        places = np.arange(len(rows.tokens))
        return KEPT_GIVEN[self.rule](rows.target[places, rows.tokens], self.draft(rows)[places, rows.tokens])
