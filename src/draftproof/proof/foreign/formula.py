"""What a random number is: a formula of one variable, and what it takes for the formula to lie below a number.

u is uniform on [0, 1); E = -log u is exponential, and -log(1 - u) is another reading of the same u. Five formulas are
closed under what samplers do with noise:

    UNIFORM   a u + b       a draw, its complement, its share of a total
    LINEAR    a E           an exponential, a logarithm of u
    INVERSE   a / E         a weight divided by noise
    LOG       a log(b E)    Gumbel noise, with logits added and temperatures divided out
    POWER     b e^(a E)     a power of u, as in u^(1 / weight)

Thresholds are exact but for powers of e and logarithms, which are floats; what that costs is returned beside them.
"""

from enum import Enum
from fractions import Fraction
from math import exp, log
from typing import NamedTuple

ZERO, ONE = Fraction(0), Fraction(1)


class Reading(NamedTuple):
    """A variable read as an exponential: -log u, or -log(1 - u) if mirrored."""

    variable: int
    mirrored: bool


class Form(Enum):
    """What stands between the two coefficients and the variable."""

    UNIFORM = "a u + b"
    LINEAR = "a E"
    INVERSE = "a / E"
    LOG = "a log(b E)"
    POWER = "b e^(a E)"


class Edge(NamedTuple):
    """Where on the scale of u a formula crosses a number.

    Attributes:
        threshold: of u.
        flipped: the formula is below the number if u is at or above the threshold, not below it.
        rounding: how far the threshold may be from the true one.
    """

    threshold: Fraction
    flipped: bool
    rounding: Fraction = ZERO

    def chance(self, low: Fraction, high: Fraction) -> Fraction:
        """The probability that the formula is below the number, if u is uniform between two others."""
        share = (min(max(self.threshold, low), high) - low) / (high - low)
        return 1 - share if self.flipped else share


class Cost(NamedTuple):
    """How a formula ranks in a race: by factor * E among those of one family, the largest first if descending."""

    family: tuple[object, ...]
    descending: bool
    reading: Reading
    factor: Fraction


class Formula(NamedTuple):
    """One of the forms with its coefficients. `a` is not 0, nor the `b` of a POWER, and that of a LOG is positive."""

    reading: Reading
    form: Form
    a: Fraction
    b: Fraction = ZERO

    def edge(self, value: Fraction) -> Edge:
        """What the formula being below a number means for u.

        Raises:
            OverflowError: the threshold passes through a power of e that no float holds.
        """
        if self.form is Form.UNIFORM:
            return Edge((value - self.b) / self.a, self.a < 0)
        if self.form is Form.INVERSE and (value == 0 or (value > 0) != (self.a > 0)):
            return Edge(Fraction(int(self.a < 0)), False)  # a / E has the sign of a
        if self.form is Form.POWER:
            return self._edge_of_power(value)
        rounding, rises = ZERO, (self.a > 0) != (self.form is Form.INVERSE)  # as E rises
        if self.form is Form.LOG:
            limit, rounding = power_of_e(value / self.a)
            limit /= self.b
        else:
            limit = value / self.a if self.form is Form.LINEAR else self.a / value
        threshold, error = power_of_e(-max(limit, ZERO))
        # A relative error of the limit moves exp(-limit) by less than half of it, since x exp(-x) is below 1/2.
        return Edge(1 - threshold if self.reading.mirrored else threshold, rises != self.reading.mirrored, rounding + error)

    def _edge_of_power(self, value: Fraction) -> Edge:
        """That of the exponent, with the logarithm of the number. The last place of that one moves the threshold by less than its own."""
        if value / self.b <= 0:
            return Edge(ZERO, self.b < 0)
        threshold, flipped, rounding = Formula(self.reading, Form.LINEAR, self.a).edge(Fraction(log(value / self.b)))
        return Edge(threshold, flipped != (self.b < 0), rounding + (Fraction(1, 2**53) if value != self.b else 0))

    def cost(self) -> Cost:
        """How it ranks among formulas of its family. Two numbers of one UNIFORM formula rank as their exponentials, reversed."""
        if self.form is Form.UNIFORM:
            return Cost((self.form, self.a, self.b), self.a > 0, self.reading, ONE)
        if self.form is Form.LOG:
            return Cost((self.form, self.a), self.a < 0, self.reading, self.b)
        if self.form is Form.POWER:
            return Cost((self.form, self.a > 0, self.b), (self.a > 0) == (self.b < 0), self.reading, abs(self.a))
        factor = 1 / abs(self.a) if self.form is Form.INVERSE else abs(self.a)
        return Cost((self.form, self.a > 0), (self.form is Form.INVERSE) == (self.a > 0), self.reading, factor)

    def is_positive(self, low: Fraction, high: Fraction) -> bool:
        """Whether it cannot be below 0 if u lies between two numbers."""
        if self.form is Form.UNIFORM:
            return min(self.a * low, self.a * high) + self.b >= 0
        if self.form is Form.POWER:
            return self.b > 0
        return self.form is not Form.LOG and self.a > 0


def power_of_e(value: Fraction) -> tuple[Fraction, Fraction]:
    """e to a power as a float, and its error at most, relative to it; exact for 0.

    Half a unit of the last place for making the power a float, times the power, and one unit for the library's `exp`.

    Raises:
        OverflowError: no float is as large.
    """
    if not value:
        return ONE, ZERO
    result = Fraction(exp(value))
    return result, (2 + abs(value)) / 2**53 if result else Fraction(1, 2**1022)
