"""DRY, "don't repeat yourself": a penalty that grows with the length of the repetition a token would prolong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import Text
from draftproof.sampling.transform import Scores, Shift

# exp of it is the largest float32: the exponent of the penalty stops where the penalty would leave that range.
LARGEST_LOG = 88.7228391


@dataclass(frozen=True)
class Dry(Shift):
    """multiplier * base ** (n - allowed_length) is subtracted from a token that would prolong a repetition of n tokens,
    if n is at least `allowed_length`. The longest such repetition counts.

    Attributes:
        breakers: token sequences across which nothing counts as repeated; one of a single token is never penalised.
        last: how many of the newest tokens are searched; None searches all.
    """

    name: ClassVar[str] = "dry_multiplier"
    multiplier: float
    base: float
    allowed_length: int
    breakers: tuple[tuple[int, ...], ...]
    last: int | None

    @property
    def memory(self) -> Text:
        return Text(last=self.last)

    def apply(self, scores: Scores, states: Sequence[np.ndarray]) -> Scores:
        changed = scores.copy()
        for row, text in zip(changed, states, strict=True):
            tokens, lengths = self._prolonged(text)
            exponents = np.minimum(lengths - self.allowed_length, self._largest_exponent)
            row[tokens] -= (self.multiplier * np.power(self.base, exponents, dtype=np.float64)).astype(scores.dtype)
        return changed

    @property
    def _largest_exponent(self) -> float:
        return np.floor(LARGEST_LOG / np.log(self.base)) if self.base > 1.000001 else np.inf

    def _prolonged(self, text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The tokens that would prolong a repetition, and how long it is already."""
        limit = self._unbroken(text)
        if limit < self.allowed_length:
            return text[:0], text[:0]
        enough = self.allowed_length + self._largest_exponent
        lengths = np.minimum(_repeated(text, min(limit, enough)), limit)
        long = np.flatnonzero(lengths >= self.allowed_length)
        tokens, place = np.unique(text[long + 1], return_inverse=True)
        longest = np.zeros(len(tokens), np.int64)
        np.maximum.at(longest, place, lengths[long])
        free = ~np.isin(tokens, [breaker[0] for breaker in self.breakers if len(breaker) == 1])
        return tokens[free], longest[free]

    def _unbroken(self, text: np.ndarray) -> int:
        """How many tokens there are after the newest breaker."""
        tokens = tuple(text.tolist())
        for start in range(len(tokens) - 1, -1, -1):
            found = [len(breaker) for breaker in self.breakers if tokens[start : start + len(breaker)] == breaker]
            if found:
                return len(tokens) - start - max(found)
        return len(tokens)


def _repeated(text: np.ndarray, most: float) -> np.ndarray:
    """For each place but the last: how many tokens up to there equal the newest ones, counted no further than `most`."""
    lengths = np.zeros(len(text) - 1, np.int64)
    ends = np.arange(len(text) - 1)
    depth = 0
    while len(ends) and depth < most:
        ends = ends[ends >= depth]
        ends = ends[text[ends - depth] == text[len(text) - 1 - depth]]
        depth += 1
        lengths[ends] = depth
    return lengths
