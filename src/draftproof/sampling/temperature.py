"""Temperature, and its limit 0.

Temperature 0 is a rule of its own, a point mass, and not a division: the token with the highest score, the lowest id if
several have it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import State
from draftproof.sampling.transform import Cut, Keep, Scores, Shift


@dataclass(frozen=True)
class Temperature(Shift):
    """Scores divided by a temperature above 0."""

    name: ClassVar[str] = "temperature"
    reads_tokens: ClassVar[bool] = False
    temperature: float

    def apply(self, scores: Scores, states: Sequence[State]) -> Scores:
        return scores / self.temperature


@dataclass(frozen=True)
class Greedy(Cut):
    """Temperature 0: the likeliest token and no other; of several, the one with the lowest id."""

    name: ClassVar[str] = "greedy"
    reads_tokens: ClassVar[bool] = False

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        return np.arange(scores.shape[1]) == scores.argmax(-1, keepdims=True)
