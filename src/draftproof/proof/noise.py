"""Draws whose every outcome is explored, and what is known of the numbers behind them.

A number in a proof is not drawn: it is known to lie somewhere, and each decision on it narrows that. So code that
uses one number twice is not given two independent ones: the second decision falls within what the first left open.

What is known of a uniform is an interval. What is known of the exponentials of a race is a region of directions:
scaled to sum 1, n independent exponentials are uniform on the simplex with n corners, and a race cuts it by planes
through the origin, on each of which two runners are level. A region is kept as simplices; a plane meets an edge of a
simplex in a point, and the two parts share its volume as that point shares the edge. All of it is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import gcd, lcm
from typing import NamedTuple

from draftproof.draws import Address
from draftproof.errors import AddressReused, BadLaw
from draftproof.proof.explore import Path
from draftproof.shapes import Array

Ray = tuple[int, ...]
"""A direction: any positive multiple is the same."""


class Simplex(NamedTuple):
    """A part of the directions of a race: its share of them all, and its corners."""

    share: Fraction
    corners: tuple[Ray, ...]


Region = tuple[Simplex, ...]


@dataclass
class Knowledge:
    """What is known of the numbers of one request.

    Attributes:
        intervals: of every uniform that was drawn from, by address.
        regions: of every race that was run, by position.
        floor: addresses and positions before it are forgotten, and reading one is an error.
    """

    intervals: dict[Address, tuple[Fraction, Fraction]] = field(default_factory=dict)
    regions: dict[int, Region] = field(default_factory=dict)
    floor: int = 0

    def forget(self, floor: int) -> "Knowledge":
        """What remains when nothing before `floor` will be read again."""
        regions = {position: region for position, region in self.regions.items() if position >= floor}
        return Knowledge({at: interval for at, interval in self.intervals.items() if at.round_start >= floor}, regions, floor)


@dataclass
class ExploredDraws:
    """`Draws` that fork the path where a seeded run would read a number."""

    path: Path
    known: Knowledge

    def pick(self, weights: Array, at: Address) -> int:
        """Fork into the indices whose share of [0, 1) meets what is known of this number.

        Raises:
            AddressReused: the number was forgotten.
        """
        self._check(at.round_start, at)
        shares = fractions(weights)
        total = sum(shares, Fraction(0))
        if not total > 0:
            raise BadLaw(f"{at}: cannot draw from weights that sum to {total}")
        known = self.known.intervals.get(at)
        if known is None:
            index = self.path.choose(shares)
            start = sum(shares[:index], Fraction(0))
            self.known.intervals[at] = (start / total, (start + shares[index]) / total)
            return index
        edges = [Fraction(0), *(edge / total for edge in accumulate(shares))]
        parts = [(max(start, known[0]), min(end, known[1])) for start, end in pairwise(edges)]
        index = self.path.choose([max(end - start, Fraction(0)) for start, end in parts])
        self.known.intervals[at] = parts[index]
        return index

    def race(self, weights: Array, position: int) -> int:
        """Fork into the winners that are possible in what is known of this race.

        Raises:
            AddressReused: the race was forgotten.
        """
        self._check(position, position)
        rates = tuple(fractions(weights))
        known = self.known.regions.get(position) or whole(len(rates))
        parts = run_race(known, rates)
        index = self.path.choose([sum((simplex.share for simplex in part), Fraction(0)) for part in parts])
        self.known.regions[position] = parts[index]
        return index

    def _check(self, start: int, at: object) -> None:
        if start < self.known.floor:
            raise AddressReused(
                f"{at} is read in a round that starts at {self.known.floor}; its number was settled before and is not fresh"
            )


def fractions(weights: Array) -> list[Fraction]:
    """The weights as exact rationals of the numbers they are."""
    return [weight if isinstance(weight, Fraction) else Fraction(weight) for weight in weights.tolist()]


def whole(corners: int) -> Region:
    """Nothing is known: all directions."""
    return (Simplex(Fraction(1), tuple(tuple(int(i == j) for j in range(corners)) for i in range(corners))),)


@lru_cache(maxsize=4096)
def run_race(region: Region, rates: tuple[Fraction, ...]) -> tuple[Region, ...]:
    """The part of the region in which each runner wins: noise[i] / rates[i] is the smallest. Rate 0 never wins."""
    scale = lcm(*(rate.denominator for rate in rates))
    speeds = [int(rate * scale) for rate in rates]
    runners = [runner for runner, speed in enumerate(speeds) if speed > 0]
    won: list[list[Simplex]] = [[] for _ in rates]
    if runners:
        won[runners[0]] = list(region)
    for place, challenger in enumerate(runners[1:], start=1):
        for champion in runners[:place]:
            kept: list[Simplex] = []
            for simplex in won[champion]:
                _cut(simplex, champion, challenger, speeds, kept, won[challenger])
            won[champion] = kept
    return tuple(tuple(part) for part in won)


def _cut(simplex: Simplex, champion: int, challenger: int, speeds: Sequence[int], stays: list[Simplex], passes: list[Simplex]) -> None:
    """Add the part in which the champion is ahead of the challenger to `stays`, the other to `passes`."""
    fast, slow = speeds[challenger], speeds[champion]
    lead = [fast * corner[champion] - slow * corner[challenger] for corner in simplex.corners]  # the challenger's, if positive
    top, bottom = max(lead), min(lead)
    if top <= 0 or bottom >= 0:
        (stays if top <= 0 else passes).append(simplex)
        return
    high, low = lead.index(top), lead.index(bottom)
    ahead, behind = simplex.corners[high], simplex.corners[low]
    level = [top * y - bottom * x for x, y in zip(ahead, behind, strict=True)]  # the ray of their edge on which the two are level
    share = Fraction(top * sum(behind), sum(level))  # of the corner `behind` in that ray, both scaled to sum 1
    common = gcd(*level)
    ray = tuple(x // common for x in level)
    for replaced, part in ((high, 1 - share), (low, share)):
        corners = tuple(ray if place == replaced else corner for place, corner in enumerate(simplex.corners))
        _cut(Simplex(simplex.share * part, corners), champion, challenger, speeds, stays, passes)
