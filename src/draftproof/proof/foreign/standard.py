"""The draws of `random`: its functions, every `Random`, and `SystemRandom`.

Most functions of `random` are written in terms of three: `random()`, `getrandbits(k)` and `_randbelow(n)`. Those are
replaced on the classes, so that `choice`, `shuffle`, `choices`, `uniform` and the rest run as they are. A number that
`random()` gives is a symbol; `math.log` knows it.
"""

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

from draftproof.proof.foreign.stage import Current, Patch, Refusal
from draftproof.proof.foreign.symbol import Symbol

MOST_VALUES = 4096
"""A whole number with more values than this is not drawn: each is a path."""

KINDS = (random.Random, random.SystemRandom)
DRAWS = ("random", "getrandbits", "_randbelow")

REFUSED = ("gauss", "normalvariate", "lognormvariate", "vonmisesvariate", "gammavariate", "betavariate", "paretovariate",
           "weibullvariate", "triangular", "binomialvariate", "setstate", "randbytes")  # fmt: skip


def whole(current: Current, count: int, what: str) -> int:
    """One of `count` equally likely whole numbers from 0."""
    if count > MOST_VALUES:
        current.run.refuse(f"{what} has {count} values, a path each; more than {MOST_VALUES}")
    return current.run.choose((1,) * count, what)


def order(current: Current, count: int, what: str) -> list[int]:
    """One of the orders of `count` things, all equally likely."""
    left = list(range(count))
    return [left.pop(whole(current, len(left), what)) for _ in range(count)]


def weighted(current: Current, weights: Sequence[Any], what: str) -> int:
    """An index in proportion to its weight, each float taken as the rational it is and divided by their exact sum.

    A library rounds the cumulative sum and draws a float: its law is this one up to one unit of its last place.
    """
    if any(isinstance(weight, Symbol) for weight in weights):
        current.run.refuse(f"{what} with random weights has no exact rule")
    return current.run.choose([Fraction(weight) for weight in weights], what)


class Explored:
    """The draws of the standard library, explored. As an exchange: draws bound to an instance, as in `draw = Random(1).random`."""

    what = "a draw of a generator of `random`"
    must = True

    def __init__(self, current: Current) -> None:
        self._current, self._rules = current, _rules(current)
        self._methods = [(kind, name) for kind in KINDS for name in DRAWS] + [(random.Random, "seed"), (random.Random, "expovariate")]
        self._functions = [function for kind, name in self._methods if isinstance(function := vars(kind).get(name), FunctionType)]

    def patches(self) -> list[Patch]:
        """What replaces the draws of `random`, of its classes, logarithms and the exponential."""
        log, inner = _logarithm(), random._inst
        refused = [(owner, name) for owner in (random.Random, random) for name in REFUSED if hasattr(owner, name)]
        return [
            *(Patch(kind, name, self._rules[name]) for kind, name in self._methods),
            *(Patch(random, name, partial(self._rules[name], inner)) for name in ("seed", "expovariate", "getrandbits")),
            *(Patch(owner, name, Refusal(self._current, f"random.{name}")) for owner, name in refused),
            Patch(random, "random", self._current.uniform),
            Patch(random, "_log", log),
            Patch(math, "log", log),
            *(Patch(math, name, _function(name)) for name in ("exp", "log1p", "log2", "log10")),
        ]

    def instead_of(self, value: object) -> object | None:
        if not isinstance(value, MethodType | BuiltinMethodType) or not isinstance(value.__self__, random.Random):
            return None
        own = isinstance(value, MethodType) and value.__func__ not in self._functions  # of a class that draws in its own way
        rule = None if own else self._rules.get(value.__name__)
        return MethodType(rule, value.__self__) if rule else None


def reducers() -> dict[type, Callable[[Any], Any]]:
    """How a generator in a state between rounds is written down: it goes on as it was, since it has no numbers to repeat."""
    return {kind: lambda generator: (type(generator), ()) for kind in KINDS}


def _rules(current: Current) -> dict[str, Callable[..., Any]]:
    """What stands for the methods of a generator."""
    seed_of = random.Random.seed

    def draw(_: random.Random) -> Symbol:
        return current.uniform()

    def bits(_: random.Random, k: int) -> int:
        return whole(current, 2**k, f"getrandbits({k})")

    def below(_: random.Random, n: int) -> int:
        return whole(current, n, "random")

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        current.run.seeded("random", a)
        if self is not random._inst:
            seed_of(self, a, version)

    def exponential(_: random.Random, lambd: float = 1.0) -> Any:
        return current.exponential() / lambd

    return {"random": draw, "getrandbits": bits, "_randbelow": below, "seed": seed, "expovariate": exponential}


def _logarithm() -> Callable[..., Any]:
    """`math.log`, which knows random numbers too."""
    math_log = math.log

    def log(x: Any, *base: Any) -> Any:
        if not isinstance(x, Symbol):
            return math_log(x, *base)
        return x.log() / math_log(*base) if base else x.log()

    return log


def _function(name: str) -> Callable[..., Any]:
    """A function of `math` that knows random numbers too."""
    plain = getattr(math, name)
    return lambda x: getattr(x, name)() if isinstance(x, Symbol) else plain(x)
