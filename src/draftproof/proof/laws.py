"""Laws over outputs, in rationals, and how far apart two of them are."""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

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
    worst: Hashable
    observed: Fraction
    expected: Fraction

    @property
    def distance(self) -> float:
        """The total variation as a float."""
        return float(self.total_variation)


class Bounds(NamedTuple):
    """Two numbers between which another lies."""

    lowest: Fraction
    highest: Fraction


def compare(observed: Mapping[Any, Fraction], expected: Mapping[Any, Fraction]) -> Difference:
    """The distance of two laws, and where it is largest (of equally large ones, the first in order)."""
    outputs = _in_order(observed.keys() | expected.keys())
    gaps = {output: abs(observed.get(output, ZERO) - expected.get(output, ZERO)) for output in outputs}
    worst = max(outputs, key=gaps.__getitem__, default=None)
    if worst is None or not gaps[worst]:
        return Difference(Fraction(0), None, Fraction(0), Fraction(0))
    total = sum(gaps.values(), ZERO) / 2
    return Difference(total, worst, observed.get(worst, ZERO), expected.get(worst, ZERO))


def bounds(part: Mapping[Any, Fraction], expected: Mapping[Any, Fraction]) -> Bounds:
    """Between which numbers the total variation lies if `part` is all that is known of a law.

    The unknown rest can only add probability. So what `part` has too much of stays too much, and what it lacks may be
    filled up: the distance is at least the sum of the excesses, and at most the sum of the shortfalls.
    """
    gaps = [part.get(output, ZERO) - expected.get(output, ZERO) for output in part.keys() | expected.keys()]
    return Bounds(sum((gap for gap in gaps if gap > 0), ZERO), sum((-gap for gap in gaps if gap < 0), ZERO))


def rounding_bound(*, decisions: int, outcomes: int, bits: int) -> Fraction:
    """What total variation rounding alone can explain: above it is bias.

    Every weight that a program offers is a few operations away from the tables: a quotient, a difference, a share of a
    sum over the outcomes. Each rounds by at most half of 2**(1 - bits) of numbers that are at most 1, so a decision's
    law moves by less than 10 * outcomes * 2**-bits, and the law of a run by the sum over its decisions. A bias does not
    shrink as the precision grows; rounding does.

    Args:
        decisions: on the longest path.
        outcomes: of the widest decision, such as the size of the vocabulary.
        bits: of the significand in which the program computes: 24 for float32, 53 for float64, 8 for bfloat16.
    """
    return Fraction(10 * decisions * outcomes, 2**bits)


def _in_order(outputs: Iterable[Hashable]) -> list[Hashable]:
    try:
        return sorted(outputs)  # type: ignore[type-var]  # as a program's outputs are: mostly tuples of integers
    except TypeError:
        return sorted(outputs, key=repr)
