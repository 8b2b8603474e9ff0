"""What torch's operations on single entries are to symbols. At least one argument is a symbol; None is an absent bound."""

import operator
from collections.abc import Callable
from typing import Any

from draftproof.proof.foreign.symbol import Symbol


def log(x: Any) -> Any:
    return x.log()


def exp(x: Any) -> Any:
    return x.exp()


def at_least(x: Any, bound: Any) -> Any:
    return x if bound is None else x.at_least(bound) if isinstance(x, Symbol) else bound.at_least(x)


def at_most(x: Any, bound: Any) -> Any:
    return x if bound is None else x.at_most(bound) if isinstance(x, Symbol) else bound.at_most(x)


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": lambda x, y, alpha=1: x + y * alpha,
    "sub": lambda x, y, alpha=1: x - y * alpha,
    "rsub": lambda x, y, alpha=1: y - x * alpha,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "abs": abs,
    "log": log,
    "exp": exp,
    "reciprocal": lambda x: 1 / x,
    "clamp": lambda x, low=None, high=None: at_most(at_least(x, low), high),
    "clamp_min": at_least,
    "clamp_max": at_most,
    "maximum": at_least,
    "minimum": at_most,
    "floor": lambda x: float(x.__floor__()),
    "trunc": lambda x: float(int(x)),
}
COMPARISON: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    "isnan": lambda x: False,
}
