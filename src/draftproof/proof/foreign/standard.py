"""The draws of `random`: its functions, every `Random`, and `SystemRandom`.

Most functions of `random` are written in terms of three: `random()`, `getrandbits(k)` and `_randbelow(n)`. Those are
replaced on the class, so that `choice`, `shuffle`, `choices`, `uniform` and the rest run as they are, also by names that
were bound earlier. A number that `random()` gives is a symbol; `math.log` knows it.
"""

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from draftproof.proof.foreign.stage import Current, Patch, Refusal
from draftproof.proof.foreign.symbol import Symbol

MOST_VALUES = 4096
"""A whole number with more values than this is not drawn: each is a path."""

REFUSED = ("gauss", "normalvariate", "lognormvariate", "vonmisesvariate", "gammavariate", "betavariate", "paretovariate",
           "weibullvariate", "triangular", "binomialvariate", "setstate", "randbytes")  # fmt: skip


def whole(current: Current, count: int, what: str) -> int:
    """One of `count` equally likely whole numbers from 0."""
    if count > MOST_VALUES:
        current.run.refuse(f"{what} has {count} values, a path each; more than {MOST_VALUES}")
    return current.run.choose([Fraction(1)] * count, what)


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


def patches(current: Current) -> list[Patch]:
    """What replaces the draws of the standard library."""
    seed_of = random.Random.seed

    def draw(_: object) -> Symbol:
        return current.uniform()

    def bits(_: object, k: int) -> int:
        return whole(current, 2**k, f"getrandbits({k})")

    def below(_: object, n: int) -> int:
        return whole(current, n, "random")

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        current.run.seeded("random", a)
        if self is not random._inst:
            seed_of(self, a, version)

    def exponential(_: object, lambd: float = 1.0) -> Any:
        return current.exponential() / lambd

    def log(x: Any, *base: Any) -> Any:
        if not isinstance(x, Symbol):
            return math_log(x, *base)
        return x.log() / math_log(*base) if base else x.log()

    math_log = math.log
    methods = {"random": draw, "getrandbits": bits, "_randbelow": below}
    owners = (random.Random, random.SystemRandom)
    return [
        *(Patch(owner, name, method) for owner in owners for name, method in methods.items()),
        *(Patch(random.Random, name, Refusal(current, f"random.{name}")) for name in REFUSED if hasattr(random.Random, name)),
        *(Patch(random, name, Refusal(current, f"random.{name}")) for name in REFUSED if hasattr(random, name)),
        Patch(random.Random, "seed", seed),
        Patch(random, "seed", lambda a=None, version=2: seed(random._inst, a, version)),
        Patch(random.Random, "expovariate", exponential),
        Patch(random, "expovariate", lambda lambd=1.0: exponential(None, lambd)),
        Patch(random, "random", current.uniform),
        Patch(random, "getrandbits", lambda k: bits(None, k)),
        Patch(math, "log", log),
    ]
