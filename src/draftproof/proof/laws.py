"""Laws over outputs, in rationals, and how far apart two of them are."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

Output = tuple[int, ...]
"""An emitted text: token ids."""

Law = Mapping[Output, Fraction]
"""The probability of every output; an output that is not listed has probability 0."""

ZERO = Fraction(0)


class Difference(NamedTuple):
    """How two laws differ.

    Attributes:
        total_variation: half the sum of the absolute differences; 0 if and only if the laws are equal.
        worst: the output whose probability differs most, None if none does.
        observed, expected: its two probabilities.
    """

    total_variation: Fraction
    worst: Output | None
    observed: Fraction
    expected: Fraction


def compare(observed: Law, expected: Law) -> Difference:
    """The distance of two laws, and where it is largest (of equally large ones, the first in order)."""
    outputs = sorted(observed.keys() | expected.keys())
    gaps = {output: abs(observed.get(output, ZERO) - expected.get(output, ZERO)) for output in outputs}
    worst = max(outputs, key=gaps.__getitem__, default=None)
    if worst is None or not gaps[worst]:
        return Difference(Fraction(0), None, Fraction(0), Fraction(0))
    total = sum(gaps.values(), ZERO) / 2
    return Difference(total, worst, observed.get(worst, ZERO), expected.get(worst, ZERO))
