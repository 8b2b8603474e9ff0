"""Small programs as data, and how they are made at random.

A program draws a few numbers and is a list of statements, each a tuple that begins with its kind. Numbers are scaled once
by a power of 2 and every bound is a multiple of 1/4, so whatever a program asks of a uniform number is a multiple of 1/8.
"""

from collections.abc import Iterator, Sequence
from math import prod
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

CELLS = 8
"""Of a uniform number: no bound that a program can compare it with lies inside one of them."""

MOST_RUNS = 3_000
"""Of a program on all cells and choices, so that its law is found in a fraction of a second."""

LIBRARIES = ("random", "random", "numpy", "numpy", "numpy.random", "numpy.random", "torch")
"""torch is rarer because its paths are the slowest."""


class Program(NamedTuple):
    """What is drawn first and what follows.

    Attributes:
        library: that draws and computes; `numpy` draws from a Generator and `numpy.random` from the global state.
        size: numbers drawn at the start.
        factor: that they are multiplied with.
    """

    library: str
    size: int
    factor: float
    steps: tuple[tuple, ...]


Kind = tuple[Any, ...]
"""A statement with, in the place of every argument, those that it may have."""

PLACES, WAYS, BOTH = range(3), range(6), (True, False)
QUARTERS = [number / 4 for number in range(-2, 9)]
INNER = [0.25, 0.5, 0.75]
SHARES = [(0.25, 0.5, 0.25), (0.5, 0.25, 0.25), (0.25, 0.0, 0.75), (0.0, 0.5, 0.5), (1.0, 0.0, 0.0)]
RATES = [(0.5, 0.25, 0.25, 0.0), (0.125, 0.5, 0.375, 1.0), (0.375, 0.125, 0.0, 0.5), (0.0, 1.0, 0.5, 0.25), (1.0, 1.0, 0.125, 0.25),
         (0.25, 0.25, 1.0, 0.125), (0.0, 0.375, 0.25, 0.25)]  # fmt: skip
NOISES = ("exponential", "uniform", "gumbel")

MOVES: list[Kind] = [
    ("copy", PLACES, PLACES),
    ("reverse",),
    ("gather", [(0, 1, 1), (1, 0, 2), (2, 2, 0), (1, 2, 0)]),
    ("draw again", PLACES),
]
CHANGES: list[Kind] = [
    ("shift", PLACES, QUARTERS),
    ("flip", PLACES),
    ("clamp", INNER, INNER),
    ("bound", PLACES, INNER, BOTH),
    ("write through a view", PLACES, QUARTERS),
    ("flip through a view", PLACES),
    ("fill under a mask", QUARTERS, QUARTERS, WAYS),
]
BOUNDS: list[Kind] = [
    ("compare", PLACES, QUARTERS, ("<", "<=", ">", ">=", "==")),
    ("count", QUARTERS, WAYS),
    ("read at", QUARTERS),
    ("invert", SHARES, BOTH, WAYS),
    ("whole", PLACES, (1, 2), WAYS),
    ("compare logs", INNER, INNER),
    ("until", INNER, (1, 2)),
]
ORDERS: list[Kind] = [("less", PLACES, PLACES), ("order", BOTH, WAYS), ("top", (1, 2), BOTH, WAYS), ("largest", WAYS)]
DRAWS: list[Kind] = [
    ("pick", SHARES, WAYS),
    ("several", SHARES, WAYS),
    ("permute", (2, 3), WAYS),
    ("integer", (2, 3), WAYS),
    ("coin", INNER, WAYS),
]
NOISE: list[Kind] = [("noise", NOISES, (2, 3, 4))]
RACES: list[Kind] = [("race", RATES, WAYS), ("race", RATES, WAYS), ("compare noise", PLACES, PLACES), ("race in order", RATES, WAYS)]

FAMILIES = [(MOVES + CHANGES, BOUNDS), (MOVES, ORDERS), (NOISE, RACES), (MOVES + CHANGES + NOISE, BOUNDS + ORDERS + RACES)]
"""What one program does with its numbers, changes and questions: where they lie, in what order, who wins; or all of it at once."""

OFTEN = (8, 4, 4, 2)


def made(random: Random) -> Program:
    """A program that asks first and last, and does anything in between."""
    while True:
        family = random.choices(range(len(FAMILIES)), OFTEN)[0]
        changes, questions = FAMILIES[family]
        factors = [1.0, -1.0, 0.5, -0.5] + [2.0, -2.0] * (family == 0)
        body = [_any(random, changes, questions, nested=True) for _ in range(random.randint(1, 4))]
        steps = (_filled(random, random.choice(questions)), *body, _filled(random, random.choice(questions)))
        program = Program(random.choice(LIBRARIES), 1 if family == 2 else random.choice([1, 2, 2, 3]), random.choice(factors), steps)
        if CELLS**program.size * _runs(steps) <= MOST_RUNS:
            return program


programs = st.randoms(use_true_random=True).map(made)
"""Not made of smaller strategies: hypothesis repeats parts of its earlier examples, and here every program should be another."""


def _any(random: Random, changes: list[Kind], questions: list[Kind], *, nested: bool) -> tuple:
    if nested and random.random() < 0.2:
        parts = [tuple(_any(random, changes, questions, nested=False) for _ in range(random.randint(1, 2))) for _ in range(2)]
        return ("if", *parts) if random.random() < 0.5 else ("for", parts[0])
    return _filled(random, random.choice(random.choices([changes, questions, DRAWS], (4, 4, 2))[0]))


def _filled(random: Random, kind: Kind) -> tuple:
    """A statement of a kind."""
    return (kind[0], *(random.choice(options) for options in kind[1:]))


def every(steps: Sequence[tuple]) -> Iterator[tuple]:
    """All statements, those inside others too."""
    for step in steps:
        yield step
        if step[0] in ("if", "for"):
            for part in step[1:]:
                yield from every(part)


def _runs(steps: Sequence[tuple]) -> int:
    """How many runs all ways through these statements take, about."""
    return prod(map(_ways, steps))


def _ways(step: tuple) -> int:
    match step:
        case ("if", then, otherwise):
            return max(_runs(then), _runs(otherwise))
        case ("for", inside):
            return _runs(inside) ** 2
        case ("draw again" | "compare logs", *_) | ("invert", _, True, _):
            return CELLS
        case ("until", _, most):
            return CELLS**most
        case ("integer" | "pick" | "race" | "compare noise", *_):
            return 3
        case ("several" | "permute" | "race in order", *_):
            return 6
        case ("coin", *_):
            return 2
    return 1
