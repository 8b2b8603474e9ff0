"""Suspects that are learned while an audit runs, for faults that nobody thought of.

Each looks at what the engine emitted before and expects it again: a token after the very same text, a token wherever it stands, a rank
among the target's likely tokens. What it expects of a text is settled before the text is seen, so a bet on it is as fair as any other.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from draftproof.audit.law.rows import Rows
from draftproof.audit.law.scoring import Laws, Scores, scores_of
from draftproof.audit.law.suspects import Suspect

PRIOR = 4.0
"""How many tokens of experience each gives the target's law before it looks at what was emitted."""

BINS = 16
"""Parts of the target's mass, the likeliest tokens first, whose use is learned."""


class Learner(Protocol):
    """A suspect that learns.

    Attributes:
        suspect: for reports; its law is not known beforehand.
    """

    suspect: Suspect

    def scores(self, prompt: Sequence[int], rows: Rows) -> Scores:
        """What the text says, judged by the texts before it; then it is learned."""
        ...


def _suspect(name: str, says: str) -> Suspect:
    return Suspect(name, lambda rows: rows.target, "", f"{says}, in a way that none of the known suspects explains")


class Seen:
    """What came after one text: how often, and each next token with what came after it."""

    def __init__(self) -> None:
        self.after: dict[int, Seen] = {}
        self.count = 0


class Repeated:
    """Whatever followed the very same text before will follow it again as often. It is for many short answers to few prompts."""

    suspect = _suspect("anything repeated", "emits some tokens too often after the same text")

    def __init__(self, band: float = 0.0) -> None:
        self._band = band
        self._prompts: dict[tuple[int, ...], Seen] = defaultdict(Seen)

    def scores(self, prompt: Sequence[int], rows: Rows) -> Scores:
        law, seen = rows.target.copy(), self._prompts[tuple(prompt)]
        for place, token in enumerate(rows.tokens.tolist()):
            if total := sum(next_.count for next_ in seen.after.values()):
                law[place] *= PRIOR / (PRIOR + total)
                for known, next_ in seen.after.items():
                    law[place, known] += next_.count / (PRIOR + total)
            seen = seen.after.setdefault(token, Seen())
            seen.count += 1
        return scores_of(law, rows.target, rows.tokens, self._band)


class Favoured:
    """A token that came more often than the target had it come will go on to."""

    suspect = _suspect("anything by token", "emits some tokens too often wherever they stand")

    def __init__(self, band: float = 0.0) -> None:
        self._band = band
        self._seen = self._expected = np.zeros(0)

    def scores(self, prompt: Sequence[int], rows: Rows) -> Scores:
        if not len(self._seen):
            self._seen = self._expected = np.zeros(rows.target.shape[-1])
        law = rows.target * (PRIOR + self._seen) / (PRIOR + self._expected)
        self._seen = self._seen + np.bincount(rows.tokens, minlength=len(self._seen))
        self._expected = self._expected + rows.target.sum(0)
        return scores_of(law, rows.target, rows.tokens, self._band)


class Ranked:
    """A rank among the likely tokens that came more often than it should will go on to, whatever tokens hold it.

    The mass of each row is laid out with the likeliest token first and cut into `BINS` equal parts. A token takes its own stretch of it.
    """

    suspect = _suspect("anything by rank", "emits likely tokens too often or too seldom")

    def __init__(self, band: float = 0.0) -> None:
        self._band = band
        self._mass = np.full(BINS, PRIOR)

    def scores(self, prompt: Sequence[int], rows: Rows) -> Scores:
        order = np.argsort(-rows.target, axis=-1, kind="stable")
        ends = np.take_along_axis(rows.target, order, -1).cumsum(-1)
        ends = (ends / ends[:, -1:]).clip(max=1)
        law = np.empty_like(rows.target)
        np.put_along_axis(law, order, np.diff(self._used(ends), prepend=0.0, axis=-1), -1)
        places = np.argmax(order == rows.tokens[:, None], axis=-1)
        self._learn(ends, places)
        return scores_of(law, rows.target, rows.tokens, self._band)

    def _used(self, ends: Laws) -> Laws:
        """How much of what was emitted lay before each place of the mass."""
        before = np.concatenate([[0.0], self._mass.cumsum() / self._mass.sum()])
        return np.interp(ends, np.linspace(0, 1, BINS + 1), before)

    def _learn(self, ends: Laws, places: np.ndarray) -> None:
        rows = np.arange(len(places))
        last = ends[rows, places]
        first = np.where(places > 0, ends[rows, places - 1], 0.0)
        edges = np.linspace(0, 1, BINS + 1)
        inside = (np.minimum(last[:, None], edges[1:]) - np.maximum(first[:, None], edges[:-1])).clip(min=0)
        stretch = inside.sum(-1, keepdims=True)
        self._mass = self._mass + (inside / np.where(stretch > 0, stretch, 1.0)).sum(0)


LEARNERS: tuple[Callable[[float], Learner], ...] = (Repeated, Favoured, Ranked)
