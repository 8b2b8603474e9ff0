"""A random number as a program holds it: a formula, with the arithmetic that keeps it one and the events that it decides.

Arithmetic is that of real numbers: what a float operation would round is not rounded. A comparison is an event, and is
decided by `Run`; equality with a number has probability 0 and is false. Anything else raises `Untracked`.
"""

from fractions import Fraction
from functools import cache
from math import isnan, log
from typing import Any, NoReturn

import numpy as np

from draftproof.proof.foreign.formula import ONE, ZERO, Edge, Form, Formula, Reading, power_of_e
from draftproof.proof.foreign.run import NEGLIGIBLE, Run

INFINITY = float("inf")
LARGEST_POWER = 700
"""e to this power, and to its negative, is a float."""


def exact(value: Any) -> Fraction | float | None:
    """A number as the rational it is, an infinity or NaN as it is; None for what is no single number, and for a tensor."""
    if isinstance(value, float):
        return Fraction(value) if abs(value) < INFINITY else value
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int):
        return Fraction(value)
    return exact(value.item()) if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else None


@cache
def _fresh(variable: int, form: Form) -> Formula:
    """A variable as it is drawn: u or E."""
    return Formula(Reading(variable, False), form, ONE)


class Symbol:
    """A formula of one variable of a run. Immutable."""

    __slots__ = ("formula", "run")

    def __init__(self, run: Run, formula: Formula) -> None:
        self.run, self.formula = run, formula

    @classmethod
    def uniform(cls, run: Run) -> "Symbol":
        """A new uniform number in [0, 1)."""
        return cls(run, _fresh(run.draw(), Form.UNIFORM))

    @classmethod
    def exponential(cls, run: Run) -> "Symbol":
        """A new exponential number of mean 1."""
        return cls(run, _fresh(run.draw(), Form.LINEAR))

    def __repr__(self) -> str:
        return f"<random number {self.formula.form.value} with a = {self.formula.a}, b = {self.formula.b}>"

    def _with(self, form: Form, a: Fraction, b: Fraction = Fraction(0), reading: Reading | None = None) -> "Symbol":
        return Symbol(self.run, Formula(reading or self.formula.reading, form, a, b))

    def _refuse(self, operation: str) -> NoReturn:
        self.run.refuse(f"{operation} of a random number {self.formula.form.value} has no exact rule")

    # ---------------------------------------------------------------- arithmetic

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            return self._combined(other, 1, "the sum")
        value = exact(other)
        if value is None:
            return self._beside(other, "__add__")
        return value if isinstance(value, float) else self._shifted(value)

    def _shifted(self, value: Fraction) -> "Symbol":
        _, form, a, b = self.formula
        if form is Form.UNIFORM:
            return self._with(form, a, b + value)
        if form is Form.LOG:
            factor, error = power_of_e(value / a) if abs(value / a) < LARGEST_POWER else self._refuse(f"adding {float(value)}")
            self.run.rounding += error
            return self._with(form, a, b * factor)
        if form is Form.LINEAR and 0 <= value / a <= NEGLIGIBLE:
            self.run.rounding += value / a  # a guard against 0: no event on E moves by more, since E has a density below 1
            return self
        return self._refuse(f"adding {float(value)}")

    def _combined(self, other: "Symbol", sign: int, operation: str) -> "Symbol | float":
        """The sum or difference of two formulas of the same u."""
        self._check_run(other)
        (reading, form, a, b), (others, other_form, c, d) = self.formula, other.formula
        if form is not Form.UNIFORM or other_form is not form or reading != others:
            self._refuse(f"{operation} with another random number")
        return self._with(form, a + sign * c, b + sign * d) if a + sign * c else float(b + sign * d)

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            return self._combined(other, -1, "the difference")
        value = exact(other)
        return self._beside(other, "__sub__") if value is None else self + -value

    def __rsub__(self, other: Any) -> Any:
        value = exact(other)
        return self._beside(other, "__rsub__") if value is None else -self + value

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            self._refuse("the product with another random number")
        value = exact(other)
        if value is None:
            return self._beside(other, "__mul__")
        if isinstance(value, float):
            self._refuse(f"multiplying by {value}")
        if value == 1:
            return self
        _, form, a, b = self.formula
        if form is Form.POWER:
            return self._with(form, a, b * value) if value else 0.0
        return self._with(form, a * value, b * value if form is Form.UNIFORM and b is not ZERO else b) if value else 0.0

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            self._refuse("the quotient with another random number")
        value = exact(other)
        if value is None:
            return self._beside(other, "__truediv__")
        if value == 0:
            return INFINITY if self._is_positive() else self._refuse("dividing by 0")
        return self * (1 / value) if isinstance(value, Fraction) else value if isnan(value) else 0.0

    def __rtruediv__(self, other: Any) -> Any:
        value = exact(other)
        if value is None:
            return self._beside(other, "__rtruediv__")
        _, form, a, _ = self.formula
        if form not in (Form.LINEAR, Form.INVERSE) or isinstance(value, float):
            self._refuse(f"the quotient {float(value):.4g} /")
        return self._with(Form.INVERSE if form is Form.LINEAR else Form.LINEAR, value / a) if value else 0.0

    __radd__ = __add__
    __rmul__ = __mul__

    def __abs__(self) -> "Symbol":
        return self if self._is_positive() else self._refuse("the absolute value")

    def log(self) -> "Symbol":
        """Its natural logarithm."""
        reading, form, a, b = self.formula
        if form is Form.LINEAR and a > 0:
            return self._with(Form.LOG, Fraction(1), a)
        if form is Form.INVERSE and a > 0:
            return self._with(Form.LOG, Fraction(-1), 1 / a)
        if form is Form.POWER and b == 1:
            return self._with(Form.LINEAR, a)
        if form is Form.UNIFORM:
            for mirrored, end in ((False, 0), (True, 1)):
                guard = abs(a - (1 - 2 * end)) + abs(b - end)  # how far it is from u, or from 1 - u, at most
                if guard <= NEGLIGIBLE:
                    self.run.rounding += guard
                    return self._with(Form.LINEAR, Fraction(-1), reading=Reading(reading.variable, mirrored))
        return self._refuse("the logarithm")

    def exp(self) -> "Symbol":
        """e to its power."""
        reading, form, a, b = self.formula
        if form is Form.LOG and abs(a) == 1:
            return self._with(Form.LINEAR, b) if a > 0 else self._with(Form.INVERSE, 1 / b)
        if form is Form.LINEAR and a == -1:
            u = self._with(Form.UNIFORM, Fraction(1), reading=Reading(reading.variable, False))
            return 1 - u if reading.mirrored else u
        if form is Form.LINEAR:
            return self._with(Form.POWER, a, ONE)
        return self._refuse("the exponential")

    def log1p(self) -> "Symbol":
        """The logarithm of 1 more."""
        return (self + 1).log()

    def log2(self) -> "Symbol":
        """Its logarithm to base 2."""
        return self._in_base(2)

    def log10(self) -> "Symbol":
        """Its logarithm to base 10."""
        return self._in_base(10)

    def _in_base(self, base: int) -> "Symbol":
        self.run.rounding += Fraction(1, 2**53)  # of the base's own logarithm: it moves an event on E by less
        return self.log() / log(base)

    def __pow__(self, other: Any) -> Any:
        value, logarithm = exact(other), self.log()
        if value is None or logarithm.formula.form is not Form.LINEAR:
            self._refuse("a power")
        a = logarithm.formula.a
        if isinstance(value, float):  # that of a weight of 0
            return value if isnan(value) else 0.0 if (value > 0) == (a < 0) else INFINITY
        return logarithm._with(Form.POWER, a * value, ONE) if value else 1.0

    def at_least(self, bound: Any) -> Any:
        """The larger of the two: a guard if that the bound is larger is negligible."""
        return self._guarded(bound, lower=True)

    def at_most(self, bound: Any) -> Any:
        """The smaller of the two: a guard if that the bound is smaller is negligible."""
        return self._guarded(bound, lower=False)

    def _guarded(self, bound: Any, *, lower: bool) -> Any:
        value = exact(bound)
        if value is None:
            self._refuse("the larger or smaller of it and another")
        if isinstance(value, Fraction):
            below = self._edge(value).chance(*self._interval())
            if (below if lower else 1 - below) <= NEGLIGIBLE:
                self.run.rounding += below if lower else 1 - below
                return self
        return bound if (self < bound) == lower else self

    # ---------------------------------------------------------------- comparison

    def __lt__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            return self._is_less(other)
        value = exact(other)
        return self._beside(other, "__lt__") if value is None else self._is_below(value)

    def __gt__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            return other._is_less(self)
        value = exact(other)
        return self._beside(other, "__gt__") if value is None else not self._is_below(value) and value == value

    def __le__(self, other: Any) -> Any:
        return True if self._is_same(other) else self._beside(other, "__le__") if hasattr(other, "numel") else self.__lt__(other)

    def __ge__(self, other: Any) -> Any:
        return True if self._is_same(other) else self._beside(other, "__ge__") if hasattr(other, "numel") else self.__gt__(other)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Symbol) and exact(other) is None:
            return self._beside(other, "__eq__")
        return self._is_same(other)

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return not same if isinstance(same, bool) else self._beside(other, "__ne__")

    __hash__ = object.__hash__

    def _beside(self, other: object, operation: str) -> Any:
        """What torch makes of a tensor of this number and of another; nothing if the other is no tensor."""
        if not hasattr(other, "numel"):
            return NotImplemented
        import torch

        return getattr(torch.tensor(self), operation)(other)

    def _is_same(self, other: object) -> bool:
        if isinstance(other, Symbol):
            self._check_run(other)
            return self.formula == other.formula
        return False

    def _check_run(self, other: "Symbol") -> None:
        """Return if the other number is of the same run, so that their variables can be told apart.

        Raises:
            NotReproducible: one of them is of an earlier run.
        """
        if self.run is not other.run:
            (self.run if self.run.over else other.run).check_caller("a number")

    def _is_below(self, value: Fraction | float) -> bool:
        if isinstance(value, float):
            return value > 0  # an infinity; nothing is below NaN
        reading, form, a, b = self.formula
        if form is Form.UNIFORM:  # in whole numbers, since most comparisons are of this form
            above, whole = value.as_integer_ratio()
            if a is ONE and b is ZERO:
                return self.run.below(reading.variable, above, whole)
            (share, scale), (start, finer) = a.as_integer_ratio(), b.as_integer_ratio()
            above, whole = (above * finer - start * whole) * scale, whole * finer * share
            return self.run.below(reading.variable, above, whole) if whole > 0 else not self.run.below(reading.variable, -above, -whole)
        edge = self._edge(value)
        self.run.rounding += edge.rounding
        return self.run.below(reading.variable, *edge.threshold.as_integer_ratio()) != edge.flipped

    def _edge(self, value: Fraction) -> Edge:
        try:
            return self.formula.edge(value)
        except OverflowError:
            return self._refuse(f"the comparison with {float(value)}")

    def _is_less(self, other: "Symbol") -> bool:
        if self._is_same(other):
            return False
        if self.formula.form is other.formula.form is Form.UNIFORM and self.formula.reading == other.formula.reading:
            return self - other < 0
        mine, theirs = self.formula.cost(), other.formula.cost()
        if mine.family != theirs.family:
            self._refuse(f"the comparison with one of {other.formula.form.value}, which races differently,")
        first = self.run.first([(cost.reading, 1 / cost.factor) for cost in (mine, theirs)])
        return (first == 0) != mine.descending

    def _interval(self) -> tuple[Fraction, Fraction]:
        return self.run.interval(self.formula.reading.variable)

    def _is_positive(self) -> bool:
        return self.formula.is_positive(*self._interval())

    # ---------------------------------------------------------------- reading

    def item(self) -> "Symbol":
        """Itself, as an array of one number gives it."""
        return self

    def __copy__(self) -> "Symbol":
        return self

    def __deepcopy__(self, memo: object) -> "Symbol":
        return self

    def __floor__(self) -> int:
        _, form, a, b = self.formula
        if form is not Form.UNIFORM:
            self._refuse("rounding down")
        ends = [a * end + b for end in self._interval()]
        candidates = range(min(ends).__floor__(), max(ends).__ceil__())
        return next((whole for whole in candidates[:-1] if self < whole + 1), candidates[-1])

    def __ceil__(self) -> int:
        return -(-self).__floor__()

    def __round__(self, digits: int | None = None) -> int:
        return (self + Fraction(1, 2)).__floor__() if digits is None else self._refuse(f"rounding to {digits} digits")

    def __int__(self) -> int:
        return -(-self).__floor__() if self < 0 else self.__floor__()

    __trunc__ = __int__

    def __float__(self) -> float:
        self._refuse("float()")

    def __bool__(self) -> bool:
        self._refuse("the truth value")

    def __index__(self) -> int:
        self._refuse("an index made")

    def __str__(self) -> str:
        self._refuse("the text")

    def __format__(self, form: str) -> str:
        self._refuse("the text")

    def __reduce__(self) -> str:
        self._refuse("a file or message")

    def __mod__(self, other: object) -> "Symbol":
        self._refuse("a remainder, a whole quotient or a power with it as exponent")

    __rpow__ = __rmod__ = __floordiv__ = __rfloordiv__ = __mod__
