"""XTC, "exclude top choices", as the law it has: the coin it tosses is part of the mixture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import State
from draftproof.sampling.transform import Laws, Mixture, Scores, softmax


@dataclass(frozen=True)
class Xtc(Mixture):
    """With the given probability, all tokens of probability `threshold` or more go, but for the least likely of them.

    The law is (1 - a) p + a p', with p' the law of the rest of the chain on what is left. Nothing goes where fewer than
    two tokens reach the threshold. Of several least likely ones the one with the highest id stays.
    """

    name: ClassVar[str] = "xtc_probability"
    reads_tokens: ClassVar[bool] = False
    probability: float
    threshold: float

    def mix(self, scores: Scores, states: Sequence[State], rest: Callable[[Scores], Laws]) -> Laws:
        top = softmax(scores) >= self.threshold
        least = np.where(top, scores, np.inf).min(-1, keepdims=True)
        spared = top & (scores == least)
        last_spared = scores.shape[1] - 1 - spared[:, ::-1].argmax(-1)
        top[np.arange(len(top)), last_spared] = False
        excluded = np.where(top, scores.dtype.type(-np.inf), scores)
        return (1 - self.probability) * rest(scores) + self.probability * rest(excluded)
