"""The draws of numpy: `Generator`, `RandomState` and the functions of `numpy.random`.

A draw is first made by a scratch generator, for its shape, its dtype and its errors; then its values are replaced.
"""

from collections.abc import Callable
from fractions import Fraction
from types import BuiltinMethodType, MethodType
from typing import Any, NoReturn

import numpy as np

from draftproof.proof.foreign.arrays import fresh
from draftproof.proof.foreign.stage import Current, Patch, Refusal
from draftproof.proof.foreign.standard import order, weighted, whole
from draftproof.proof.foreign.symbol import Symbol, exact

UNTOUCHED = {"bit_generator", "get_state"}
BITS = (np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)


class Explored:
    """Generators whose draws are explored. As an exchange: generators that were made before, and draws bound to them.

    Attributes:
        generator, state: the classes that stand for `numpy.random.Generator` and `numpy.random.RandomState`.
    """

    what = "a numpy generator"
    must = True

    def __init__(self, current: Current) -> None:
        self._current = current
        self._scratch = np.random.Generator(np.random.PCG64(0))
        self._legacy_scratch = np.random.RandomState(0)
        self._bits = {kind.__name__: _watched(kind, current) for kind in BITS}
        modern = self._rules(np.random.Generator, {"integers": self.integers, "random": self.random})
        legacy = self._rules(
            np.random.RandomState,
            {
                "randint": self.randint,
                "rand": self.rand,
                "random_sample": self.random,
                "random": self.random,
                "seed": lambda seed=None: current.run.seeded("numpy.random", seed),
            },
        )
        self._legacy = legacy
        self.generator = _explored(np.random.Generator, modern, self._bits["PCG64"], current)
        self.state = _explored(np.random.RandomState, legacy, self._bits["PCG64"], current)
        self._generator: Callable[[], object] = lambda: self.generator(self._bits["PCG64"]())
        self._state: Callable[[], object] = lambda: self.state(self._bits["PCG64"]())

    def patches(self) -> list[Patch]:
        """What replaces the names of `numpy.random`."""
        functions = [Patch(np.random, name, rule) for name, rule in self._legacy.items() if hasattr(np.random, name)]
        return [
            *functions,
            *(Patch(np.random, name, self.random) for name in ("ranf", "sample")),
            Patch(np.random, "default_rng", self.default_rng),
            Patch(np.random, "Generator", self.generator),
            Patch(np.random, "RandomState", self.state),
            *(Patch(np.random, name, kind) for name, kind in self._bits.items()),
        ]

    def instead_of(self, value: object) -> object | None:
        """An explored generator in place of a real one, or its method in place of a method; None for anything else."""
        if isinstance(value, MethodType | BuiltinMethodType):
            other = self.instead_of(value.__self__)
            return None if other is None else getattr(other, value.__name__)
        if isinstance(value, np.random.BitGenerator) and not hasattr(value, "watched"):
            return self._bits[type(value).__name__]() if type(value) in BITS else None
        if isinstance(value, np.random.Generator | np.random.RandomState) and not hasattr(value, "explored"):
            return self._generator() if isinstance(value, np.random.Generator) else self._state()
        return None

    def reducers(self) -> dict[type, Callable[[Any], Any]]:
        """How a generator in a state between rounds is written down: it goes on as it was, since it has no numbers to repeat."""
        return {self.generator: lambda _: (self._generator, ()), self.state: lambda _: (self._state, ())}

    def default_rng(self, seed: Any = None) -> object:
        if isinstance(seed, self.generator):
            return seed
        if isinstance(seed, np.random.BitGenerator):
            return self.generator(seed)
        self._current.run.seeded("numpy.random.default_rng", seed)
        return self._generator()

    # ---------------------------------------------------------------- continuous draws

    def random(self, size: Any = None, dtype: Any = np.float64, out: None = None) -> Any:
        if out is not None:
            self._current.run.refuse("numpy.random into an array given as `out`")
        return fresh(self._current.uniform, size)

    def rand(self, *size: int) -> Any:
        return self.random(size or None)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self.random(self._size(self._scratch.uniform(low, high, size))) * (np.asarray(high) - low)[()] + low

    def standard_exponential(self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: None = None) -> Any:
        if out is not None:
            self._current.run.refuse("numpy.random.standard_exponential into an array given as `out`")
        return fresh(self._current.exponential, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self.standard_exponential(self._size(self._scratch.exponential(scale, size))) * scale

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        size = self._size(self._scratch.gumbel(loc, scale, size))
        return fresh(lambda: -self._current.exponential().log(), size) * scale + loc

    # ---------------------------------------------------------------- discrete draws

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
        template = self._scratch.integers(low, high, size, dtype, endpoint)
        low, high = (0, low) if high is None else (low, high)
        return self._whole_numbers(template, low, np.asarray(high) + int(endpoint))

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        template = self._legacy_scratch.randint(low, high, size, dtype)
        return self._whole_numbers(template, *((0, low) if high is None else (low, high)))

    def _whole_numbers(self, template: Any, low: Any, high: Any) -> Any:
        shape = np.shape(template)
        ends = zip(np.broadcast_to(low, shape).flat, np.broadcast_to(high, shape).flat, strict=True)
        values = [int(first) + whole(self._current, int(end) - int(first), "numpy.random.integers") for first, end in ends]
        return np.array(values, np.asarray(template).dtype).reshape(shape)[()] if shape else type(template)(values[0])

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True) -> Any:
        """Each weight is taken as the rational it is; without replacement, the weights left are divided by their sum each time."""
        if not shuffle and not replace:
            self._current.run.refuse("numpy.random.choice(replace=False, shuffle=False), whose order is numpy's own")
        if p is not None and any(isinstance(weight, Symbol) for weight in np.ravel(p)):
            self._current.run.refuse("numpy.random.choice with random weights")
        things = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        template = self._scratch.choice(things, size, replace, None if p is None else np.asarray(p, float), axis)
        weights: list[Any] = [Fraction(1)] * things.shape[axis] if p is None else [exact(weight) for weight in np.ravel(p)]
        places = []
        for _ in range(1 if size is None else int(np.prod(size))):
            places.append(weighted(self._current, weights, "numpy.random.choice"))
            if not replace:
                weights[places[-1]] = Fraction(0)
        if size is None:
            return things.take(places[0], axis)
        shape = (size,) if np.ndim(size) == 0 else tuple(size)
        return things.take(np.reshape(places, shape).astype(int), axis).astype(np.asarray(template).dtype)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """One draw after another, of weights divided by their exact sum, where numpy gives what is missing to the last."""
        if np.ndim(pvals) != 1 or np.ndim(n) or any(isinstance(weight, Symbol) for weight in np.ravel(pvals)):
            self._current.run.refuse("numpy.random.multinomial with several rows or random weights")
        counts = np.zeros_like(self._scratch.multinomial(n, np.asarray(pvals, float), size))
        weights = [exact(weight) for weight in np.ravel(pvals)]
        for row in counts.reshape(-1, len(weights)):
            for _ in range(int(n)):
                row[weighted(self._current, weights, "numpy.random.multinomial")] += 1
        return counts

    def permutation(self, x: Any, axis: int = 0) -> Any:
        things = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        return things.take(order(self._current, things.shape[axis], "numpy.random.permutation"), axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        shuffled = order(self._current, np.shape(x)[axis] if isinstance(x, np.ndarray) else len(x), "numpy.random.shuffle")
        x[:] = x.take(shuffled, axis) if isinstance(x, np.ndarray) else [x[place] for place in shuffled]

    # ---------------------------------------------------------------- all others

    def _rules(self, kind: type, own: dict[str, Callable]) -> dict[str, Callable]:
        """What stands for every method of a class: a rule of ours, or a refusal by name."""
        common = ("uniform", "exponential", "standard_exponential", "gumbel", "choice", "multinomial", "permutation", "shuffle")
        known = own | {name: getattr(self, name) for name in common}
        names = [name for name in dir(kind) if not name.startswith("_") and name not in UNTOUCHED]
        refused: dict[str, Callable] = {name: Refusal(self._current, f"numpy.random.{kind.__name__}.{name}") for name in names}
        return refused | known

    def _size(self, template: Any) -> tuple[int, ...] | None:
        return np.shape(template) if np.ndim(template) else None


def _explored(kind: type, rules: dict[str, Callable], bits: Callable[[], object], current: Current) -> Any:
    """A subclass whose every draw is one of the rules, made of `bits()` unless it is given watched bits."""

    def begin(self: Any, seed: Any = None) -> None:
        if not isinstance(seed, np.random.BitGenerator):
            current.run.seeded(f"numpy.random.{kind.__name__}", seed)
        elif not hasattr(seed, "watched"):
            current.run.refuse("a numpy bit generator that is held out of reach; hold it in a variable, or make it where the program runs")
        kind.__init__(self, seed if isinstance(seed, np.random.BitGenerator) else bits())  # type: ignore[misc]

    def refuse_copy(self: Any, protocol: int) -> NoReturn:
        current.run.refuse(f"a copy of a numpy.random.{kind.__name__}, whose draws would repeat those of the original")

    methods = {name: staticmethod(rule) for name, rule in rules.items()}
    return type(f"Explored{kind.__name__}", (kind,), {**methods, "__init__": begin, "__reduce_ex__": refuse_copy, "explored": True})


def _watched(kind: type, current: Current) -> Any:
    """A subclass of a bit generator, whose start from a seed is noted, and whose raw numbers and state are not to be had."""

    def begin(self: Any, seed: Any = None, *, key: Any = None, **_: Any) -> None:
        given = seed if key is None else key
        if given is not None:
            current.run.seeded(f"numpy.random.{kind.__name__}", given)
        kind.__init__(self, 0)  # type: ignore[misc]

    def set_state(self: Any, state: Any) -> NoReturn:
        current.run.refuse("the state of a numpy generator is set, so that its draws repeat earlier ones")

    names = ("random_raw", "jumped", "advance", "spawn", "__reduce_ex__")
    refused = {name: Refusal(current, f"numpy.random.{kind.__name__}.{name}") for name in names if hasattr(kind, name)}
    state = property(lambda self: kind.state.__get__(self), set_state)  # type: ignore[attr-defined]
    return type(kind.__name__, (kind,), {**refused, "__init__": begin, "state": state, "watched": True})
