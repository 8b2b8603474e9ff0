"""Mirostat version 2: the cut follows the surprise of the text so far (Basu et al. 2021, algorithm 2).

Its state is a number that every emitted token moves by an amount that depends on the token's own law, so the rows of a
block are settled one after another.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import Memory
from draftproof.sampling.transform import Cut, Keep, Scores, softmax
from draftproof.shapes import Array


@dataclass(frozen=True)
class Surprise(Memory):
    """The largest surprise, in bits, that a token may have: at first 2 tau, then corrected towards a mean of tau."""

    uses_law: ClassVar[bool] = True
    tau: float
    eta: float

    def start(self, prompt: Sequence[int]) -> float:
        return 2 * self.tau

    def fold(self, state: float, token: int, law: Array | None) -> float:
        assert law is not None, "a memory that uses laws is given them"
        probability = float(law[token])
        surprise = -math.log2(probability) if probability > 0 else math.inf
        return state - self.eta * (surprise - self.tau)


@dataclass(frozen=True)
class Mirostat(Cut):
    """Tokens stay whose surprise is at most the state, and the likeliest, the lowest id if there are several."""

    name: ClassVar[str] = "mirostat"
    reads_tokens: ClassVar[bool] = False
    surprise: Surprise

    @property
    def memory(self) -> Surprise:
        return self.surprise

    def keep(self, scores: Scores, states: Sequence[float]) -> Keep:
        likeliest = np.arange(scores.shape[1]) == scores.argmax(-1, keepdims=True)
        return (-np.log2(softmax(scores)) <= np.array(states)[:, None]) | likeliest
