"""Sampling rules in proofs: their laws as fractions.

Rules compute in floats. A float is a rational, so a row divided by its own sum in fractions is a law in exact
arithmetic, a rounding away from what the rules meant. A decode under it can be proved without any tolerance; the
same wrapper on both sides of the proof is the same law.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from draftproof.carriers import from_float64, to_float64
from draftproof.sampling.protocol import Prefix, Sampling
from draftproof.shapes import Array


@dataclass(frozen=True)
class Exactly:
    """The same sampling rules, with every row of their laws made fractions that sum to 1."""

    params: Sampling

    def start(self, prompt: Sequence[int]) -> Prefix:
        return self.params.start(prompt)

    def fold(self, prefix: Prefix, token: int, law: Array) -> Prefix:
        return self.params.fold(prefix, token, to_float64(law))

    def laws(self, logits: Array, prefix: Prefix, drafted: Sequence[int], parents: Sequence[int]) -> tuple[Array, list[Prefix]]:
        laws, prefixes = self.params.laws(logits, prefix, drafted, parents)
        exact = from_float64(to_float64(laws), np.empty(0, object))
        return exact / (exact.sum(-1) * Fraction(1))[:, None], prefixes
