"""Programs on lists of numbers, as the standard library has them."""

import math
import random
from itertools import accumulate
from typing import Any


class Lists:
    """What a program does with a list of numbers."""

    def scaled(self, x, factor):
        return [number * factor for number in x]

    def clamp(self, x, low, high):
        return [min(max(number, low), high) for number in x]

    def reverse(self, x):
        return x[::-1]

    def gather(self, x, places):
        return [x[place] for place in places]

    def flip_view(self, x, start):
        x[start:] = [1 - number for number in x[start:]]

    def write_view(self, x, start, value):
        x[start] = value

    def fill(self, x, below, value, way):
        return [value if number < below else number for number in x]

    def log(self, number):
        return math.log(number)

    def count(self, x, below, way):
        marks = [number < below for number in x]
        first = marks.index(False) if False in marks else len(x)
        return [sum(marks), all(marks), any(marks), first, first % len(x), sum(marks)][way]

    def order(self, x, largest, way):
        return _descending(x) if largest else sorted(range(len(x)), key=x.__getitem__)

    def top(self, x, count, largest, way):
        return self.order(x, largest, way)[:count]

    def largest(self, x, way):
        return max(range(len(x)), key=x.__getitem__)

    def invert(self, number, shares, way):
        edges = list(accumulate(shares))
        if way % 2:
            return next((place for place, edge in enumerate(edges) if number < edge), len(edges))
        return sum(number >= edge for edge in edges)


def _descending(x: list) -> list[int]:
    """The largest first, of equals the first."""
    left = list(range(len(x)))
    order = []
    while left:
        order.append(max(left, key=x.__getitem__))
        left.remove(order[-1])
    return order


class StandardDraws:
    """What a program draws with `random`."""

    def uniform(self):
        return random.random()

    def vector(self, size):
        return [random.random() for _ in range(size)]

    def pick(self, shares, way):
        if way % 2:
            return random.choices(range(len(shares)), cum_weights=list(accumulate(shares)))[0]
        return random.choices(range(len(shares)), shares)[0]

    def several(self, shares, count, way):
        left, taken = list(shares), []
        for _ in range(count):
            taken.append(random.choices(range(len(left)), left)[0])
            left[taken[-1]] = 0.0
        return taken

    def permute(self, size, way):
        places = list(range(size))
        if way % 2:
            return random.sample(places, size)
        random.shuffle(places)
        return places

    def integer(self, size, way):
        return [random.randrange(size), random.randint(0, size - 1), random.choice(range(size))][way % 3]

    def coin(self, chance, way):
        return random.random() < chance

    def noise(self, kind, size):
        return [_noise(kind) for _ in range(size)]

    def race(self, noise, kind, rates, way):
        score = SCORES[kind][way % len(SCORES[kind])]
        scores = [score(rate, number) for rate, number in zip(rates, noise, strict=True)]
        return max(range(len(rates)), key=scores.__getitem__)

    def race_order(self, noise, rates, count, way):
        return _descending([rate / number for rate, number in zip(rates, noise, strict=True)])[:count]


def _noise(kind: str) -> Any:
    number = random.expovariate(1.0) if kind == "exponential" else random.random()
    return -math.log(-math.log(number)) if kind == "gumbel" else number


def _log(rate: float) -> float:
    return math.log(rate) if rate else -math.inf


SCORES = {
    "gumbel": (lambda rate, number: _log(rate) + number, lambda rate, number: (_log(rate) + number) / 0.5),
    "uniform": (
        lambda rate, number: rate / -math.log(number),
        lambda rate, number: _log(rate) - math.log(-math.log(number)),
        lambda rate, number: number ** (1 / rate) if rate else 0.0,
    ),
    "exponential": (lambda rate, number: rate / number, lambda rate, number: (_log(rate) - math.log(number)) / 0.5),
}
"""How a rate and its noise are weighed; the largest wins."""
