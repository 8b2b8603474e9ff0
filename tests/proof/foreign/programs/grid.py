"""The law of a program by running it for every way its randomness can go, on plain numbers.

A uniform number is one of the cells of a grid, each as likely as another, and has one of the places among the numbers
that are already in its cell, each as likely too. No bound lies inside a cell, so cell and place decide every comparison.

Exponentials are never numbers here. Who wins a race on fresh ones is drawn in proportion to the rates; who then wins a
second one on the same, from the joint law of both.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import lcm
from typing import NamedTuple

from programs.interpreter import Kit, perform
from programs.lists import Lists
from programs.statements import CELLS, Program


def law_on_the_grid(program: Program) -> dict[tuple[int, ...], Fraction]:
    """The exact law of what the program decides."""
    counts: dict[tuple[int, ...], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    choices = Choices()
    while choices.goes_on():
        outcome = perform(program, Kit(GridDraws(choices), Lists()))
        counts[outcome][choices.among_all] += choices.weight
    return {outcome: sum(Fraction(count, among) for among, count in shares.items()) for outcome, shares in counts.items()}


class Choices:
    """Every way to answer the questions of a run, one after another, as an odometer counts.

    Attributes:
        weight, among_all: of the run's answers, and of all answers to the same questions: their quotient is its probability.
    """

    def __init__(self) -> None:
        self._digits: list[list[int]] | None = None

    def goes_on(self) -> bool:
        """Start the next run, if there is one."""
        if self._digits is not None:
            while self._digits and self._digits[-1][0] == self._digits[-1][1] - 1:
                self._digits.pop()
            if not self._digits:
                return False
            self._digits[-1][0] += 1
        self._digits, self._asked, self.weight, self.among_all = self._digits or [], 0, 1, 1
        return True

    def among(self, count: int) -> int:
        """A number below `count`, all in turn."""
        if self._asked == len(self._digits):
            self._digits.append([0, count])
        self._asked += 1
        return self._digits[self._asked - 1][0]

    def evenly(self, count: int) -> int:
        self.among_all *= count
        return self.among(count)

    def by(self, weights: Sequence[float | Fraction]) -> int:
        """A place, in proportion to its weight."""
        live, total = _in_whole_numbers(tuple(weights))
        place, weight = live[self.among(len(live))]
        self.weight *= weight
        self.among_all *= total
        return place


@cache
def _in_whole_numbers(weights: tuple[float | Fraction, ...]) -> tuple[list[tuple[int, int]], int]:
    """The places that have weight, with weights in proportion, and the sum of those."""
    unit = lcm(*(Fraction(weight).denominator for weight in weights))
    live = [(place, int(Fraction(weight) * unit)) for place, weight in enumerate(weights) if weight]
    return live, sum(weight for _, weight in live)


class GridDraws:
    """What is drawn on the grid."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._cells: dict[int, list[float]] = defaultdict(list)

    def uniform(self) -> float:
        cell = self._choices.evenly(CELLS)
        others = self._cells[cell]
        place = self._choices.evenly(len(others) + 1)
        low, high = [cell / CELLS, *others, (cell + 1) / CELLS][place : place + 2]
        others.insert(place, (low + high) / 2)
        return others[place]

    def vector(self, size: int) -> list[float]:
        return [self.uniform() for _ in range(size)]

    def pick(self, shares: Sequence[float], way: int) -> int:
        return self._choices.by(shares)

    def several(self, shares: Sequence[float], count: int, way: int) -> list[int]:
        taken: list[int] = []
        for _ in range(count):
            taken.append(self._choices.by([0 if place in taken else share for place, share in enumerate(shares)]))
        return taken

    def permute(self, size: int, way: int) -> list[int]:
        return self.several([1] * size, size, way)

    def integer(self, size: int, way: int) -> int:
        return self._choices.evenly(size)

    def coin(self, chance: float, way: int) -> int:
        return self._choices.by([1 - chance, chance])

    def noise(self, kind: str, size: int) -> "list[Noise]":
        field = Field(self._choices, size)
        return [Noise(field, place, kind == "exponential") for place in range(size)]

    def race(self, noise: "list[Noise]", kind: str, rates: Sequence[float], way: int) -> int:
        return noise[0].field.race(tuple(map(Fraction, rates)))

    def race_order(self, noise: "list[Noise]", rates: Sequence[float], count: int, way: int) -> list[int]:
        return self.several(rates, count, way)


class Field:
    """The exponentials of at most two races."""

    def __init__(self, choices: Choices, size: int) -> None:
        self._choices, self.size = choices, size
        self._past: tuple[tuple[Fraction, ...], int] | None = None

    def race(self, rates: tuple[Fraction, ...]) -> int:
        """The winner: whose exponential, divided by its rate, is smallest."""
        weights = rates if self._past is None else _second_race(*self._past, rates)
        self._past = rates, self._choices.by(weights)
        return self._past[1]


class Noise(NamedTuple):
    """One of them: it is compared by a race with rates 1 and 1. Of other noise than the exponential the winner is largest."""

    field: Field
    place: int
    is_exponential: bool

    def __lt__(self, other: "Noise") -> bool:
        if self.place == other.place:
            return False
        rates = tuple(Fraction(place in (self.place, other.place)) for place in range(self.field.size))
        return (self.field.race(rates) == self.place) == self.is_exponential


@cache
def _second_race(a: tuple[Fraction, ...], winner: int, b: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(both_races(a, b, winner, place) for place in range(len(a)))


def both_races(a: Sequence[Fraction], b: Sequence[Fraction], i: int, j: int) -> Fraction:
    """P(i wins a race with rates a, and j one with rates b on the same exponentials).

    E_k is at least E_i a_k / a_i and E_j b_k / b_j for every k. For i = j that is one race. Otherwise, with r = E_j / E_i,
    it is the integral of 1 / (1 + r + sum over k other than i and j of max(a_k / a_i, r b_k / b_j))^2 over r from a_j / a_i
    to b_j / b_i.
    """
    if not a[i] or not b[j]:
        return Fraction(0)
    if i == j:
        return 1 / sum(max(x / a[i], y / b[j]) for x, y in zip(a, b, strict=True))
    others = [(a[k] / a[i], b[k] / b[j]) for k in range(len(a)) if k not in (i, j)]
    low, high = a[j] / a[i], b[j] / b[i] if b[i] else None
    if high is not None and high <= low:
        return Fraction(0)
    cuts = sorted({x / y for x, y in others if y and x / y > low and (high is None or x / y < high)})
    total = Fraction(0)
    for start, end in pairwise([low, *cuts, high]):
        inside = start + 1 if end is None else (start + end) / 2
        fixed = 1 + sum(x for x, y in others if x > inside * y)
        slope = 1 + sum(y for x, y in others if x <= inside * y)
        total += (1 / (fixed + slope * start) - (1 / (fixed + slope * end) if end is not None else 0)) / slope
    return total
