"""A rule of the user's own, as a function of the text and the scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from draftproof.errors import BadRequest, NotReproducible
from draftproof.sampling.memory import Text
from draftproof.sampling.transform import Scores, Shift

UserRule = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(tokens of prompt and text so far, scores (vocab,)) -> scores (vocab,). It must be pure: its value, and nothing else
it does, may matter, and the same arguments must give the same value."""


@dataclass(frozen=True)
class Callback(Shift):
    """Scores changed by a user's rule, called once for each row with the prefix of that very row, and then once more.

    A rule that keeps state between calls would see the drafted tokens of rows that are never emitted; calling it twice
    finds most such rules at the first token.

    Raises:
        NotReproducible: the two calls differ.
        BadRequest: the rule returned another shape.
    """

    name: ClassVar[str] = "logits_processor"
    rule: UserRule

    @property
    def memory(self) -> Text:
        return Text()

    def apply(self, scores: Scores, states: Sequence[np.ndarray]) -> Scores:
        return np.stack([self._call(row, text) for row, text in zip(scores, states, strict=True)])

    def _call(self, row: np.ndarray, text: np.ndarray) -> np.ndarray:
        first, second = (np.array(self.rule(text.copy(), row.copy()), dtype=row.dtype) for _ in range(2))
        if first.shape != row.shape:
            raise BadRequest(f"{self.name} returned shape {first.shape} for scores of shape {row.shape}; return one score for each token")
        if not np.array_equal(first, second, equal_nan=True):
            place = int(np.flatnonzero(first != second)[0])
            raise NotReproducible(
                f"{self.name} gave token {place} the score {first[place]} and then, for the same text and scores, {second[place]}; "
                "make it a function of its two arguments alone"
            )
        return first
