"""Programs on numpy arrays."""

from typing import Any

import numpy as np


class Arrays:
    """What a program does with an array."""

    def scaled(self, x, factor):
        return x * factor

    def clamp(self, x, low, high):
        return np.clip(x, low, high)

    def reverse(self, x):
        return x[::-1].copy()

    def gather(self, x, places):
        return x[places]

    def flip_view(self, x, start):
        view = x[start:]
        view *= -1
        view += 1

    def write_view(self, x, start, value):
        view = x[start:]
        view[0] = value

    def fill(self, x, below, value, way):
        match way % 3:
            case 0:
                x[x < below] = value
            case 1:
                return np.where(x < below, value, x)
            case 2:
                np.copyto(x, value, where=x < below)
        return x

    def log(self, number):
        return np.log(number)

    def count(self, x, below, way):
        marks = x < below
        first = len(x) if marks.all() else int(np.argmin(marks))
        return [marks.sum(), marks.all(), np.any(marks), marks.cumprod().sum(), first % len(x), np.count_nonzero(marks)][way]

    def order(self, x, largest, way):
        return np.argsort(-x if largest else x)

    def top(self, x, count, largest, way):
        return self.order(x, largest, way)[:count]

    def largest(self, x, way):
        if way % 3 == 2:
            return int((x == x.max()).argmax())
        return np.argmax(x) if way % 3 else x.argmax()

    def invert(self, number, shares, way):
        edges = np.cumsum(shares)
        match way % 4:
            case 0:
                return np.searchsorted(edges, number, side="right")
            case 1:
                return edges.searchsorted(number, side="right")
            case 2:
                return (edges <= number).sum()
        return next((place for place, edge in enumerate(edges) if number < edge), len(edges))


class ArrayDraws:
    """What a program draws with numpy: from a Generator, or from the functions and old class of `numpy.random`."""

    def __init__(self, rng: Any) -> None:
        self._rng = rng

    def uniform(self):
        return self._rng.uniform()

    def vector(self, size):
        return self._rng.random(size)

    def pick(self, shares, way):
        return self._rng.choice(len(shares), p=shares) if way % 2 else self._rng.choice(len(shares), size=1, p=shares)[0]

    def several(self, shares, count, way):
        return self._rng.choice(len(shares), count, replace=False, p=shares)

    def permute(self, size, way):
        places = np.arange(size)
        match way % 3:
            case 0:
                return self._rng.permutation(size)
            case 1:
                self._rng.shuffle(places)
                return places
        return self._rng.choice(size, size, replace=False)

    def integer(self, size, way):
        if hasattr(self._rng, "integers"):
            return self._rng.integers(size)
        return self._rng.randint(size) if way % 2 else self._rng.randint(0, size, size=(1,))[0]

    def coin(self, chance, way):
        return self._rng.random() < chance

    def noise(self, kind, size):
        return {
            "exponential": self._rng.standard_exponential,
            "uniform": self._rng.random,
            "gumbel": lambda size: self._rng.gumbel(size=size),
        }[kind](size)

    def race(self, noise, kind, rates, way):
        weights = np.array(rates)
        with np.errstate(divide="ignore"):
            logits = np.log(weights)
            if kind == "gumbel":
                return np.argmax((logits + noise) / 0.5)
            if kind == "uniform":
                return [
                    np.argmax(logits - np.log(-np.log(noise))),
                    np.argmax(logits - np.log(-np.log(np.clip(noise, 1e-12, 1 - 1e-12)))),
                    (-np.log(noise) / weights).argmin(),
                    (noise ** (1 / weights)).argmax(),
                ][way % 4]
            return [lambda: np.argmax(weights / noise), lambda: (noise / weights).argmin(), lambda: np.argmax(logits - np.log(noise))][
                way % 3
            ]()

    def race_order(self, noise, rates, count, way):
        return (-(np.array(rates) / noise)).argsort()[:count]
