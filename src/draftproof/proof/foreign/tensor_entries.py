"""What torch's operations on single entries are to symbols. At least one argument is a symbol; None is an absent bound."""

import operator
from collections.abc import Callable
from math import ceil, floor
from typing import Any

from draftproof.proof.foreign.order import at_least, at_most, within

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": lambda x, y, alpha=1: x + y * alpha,
    "sub": lambda x, y, alpha=1: x - y * alpha,
    "rsub": lambda x, y, alpha=1: y - x * alpha,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "abs": abs,
    "log": lambda x: x.log(),
    "log1p": lambda x: x.log1p(),
    "log2": lambda x: x.log2(),
    "log10": lambda x: x.log10(),
    "exp": lambda x: x.exp(),
    "pow": operator.pow,
    "reciprocal": lambda x: 1 / x,
    "clamp": within,
    "clamp_min": at_least,
    "clamp_max": at_most,
    "maximum": at_least,
    "minimum": at_most,
    "relu": lambda x: at_least(x, 0.0),
    "floor": lambda x: float(floor(x)),
    "ceil": lambda x: float(ceil(x)),
    "round": lambda x: float(round(x)),
    "trunc": lambda x: float(int(x)),
}
COMPARISON: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    "isnan": lambda x: False,
}
