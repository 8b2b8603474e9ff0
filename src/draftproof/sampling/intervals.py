"""The numbers that a parameter may be."""

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any


@dataclass(frozen=True)
class Interval:
    """Numbers from `low` to `high`, each end included unless it is open; infinite ends are never included.

    Attributes:
        whole: True if only integers are meant.
    """

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    whole: bool = False

    def __contains__(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Integral if self.whole else Real):
            return False
        value = value if self.whole else float(value)
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return bool(above and below and -math.inf < value < math.inf)

    def __str__(self) -> str:
        kind = "an integer" if self.whole else "a number"
        if self.low == -math.inf and self.high == math.inf:
            return f"a finite {kind.split()[1]}"
        if self.high == math.inf:
            return f"{kind} {'above' if self.low_open else 'of at least'} {self.low}"
        return f"{kind} in {'(' if self.low_open else '['}{self.low}, {self.high}{')' if self.high_open else ']'}"
