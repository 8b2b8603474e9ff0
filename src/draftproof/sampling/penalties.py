"""Penalties on tokens that occurred before: once a token, or once an occurrence.

Whether the prompt counts, and how far back, differs by engine and lies in the memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import Counts, Seen
from draftproof.sampling.transform import Scores, Shift


@dataclass(frozen=True)
class RepetitionPenalty(Shift):
    """Tokens that occurred: a positive score is divided by the penalty, a negative one multiplied (Keskar et al. 2019,
    section 4.1, with the sign test that every engine added)."""

    name: ClassVar[str] = "repetition_penalty"
    penalty: float
    counted: Counts

    @property
    def memory(self) -> Counts:
        return self.counted

    def apply(self, scores: Scores, states: Sequence[Seen]) -> Scores:
        changed = scores.copy()
        for row, seen in zip(changed, states, strict=True):
            old = row[seen.ids]
            row[seen.ids] = np.where(old < 0, old * self.penalty, old / self.penalty)
        return changed


@dataclass(frozen=True)
class FrequencyPenalty(Shift):
    """The penalty is subtracted once for every occurrence."""

    name: ClassVar[str] = "frequency_penalty"
    penalty: float
    counted: Counts

    @property
    def memory(self) -> Counts:
        return self.counted

    def apply(self, scores: Scores, states: Sequence[Seen]) -> Scores:
        changed = scores.copy()
        for row, seen in zip(changed, states, strict=True):
            row[seen.ids] -= (self.penalty * seen.counts).astype(scores.dtype)
        return changed


@dataclass(frozen=True)
class PresencePenalty(Shift):
    """The penalty is subtracted once from every token that occurred."""

    name: ClassVar[str] = "presence_penalty"
    penalty: float
    counted: Counts

    @property
    def memory(self) -> Counts:
        return self.counted

    def apply(self, scores: Scores, states: Sequence[Seen]) -> Scores:
        changed = scores.copy()
        for row, seen in zip(changed, states, strict=True):
            row[seen.ids] -= self.penalty
        return changed
