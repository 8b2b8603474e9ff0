"""One run of a program whose random numbers are known only as far as it has asked about them.

Every number that a program draws is one variable: a uniform u in [0, 1), or the exponentials -log u and -log(1 - u) that
are read from it. All are real numbers, not floats. What is known of u is an interval, narrowed by every comparison with
a number. What is known of exponentials that raced each other is a part of the directions they can lie in, as in
`proof.noise`; nothing is known of their size. So a number that is used twice is not taken for two.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from linecache import getline
from math import gcd
from threading import get_ident
from types import FrameType
from typing import NamedTuple, NoReturn

from draftproof.errors import DraftproofError, NotReproducible, Untracked
from draftproof.proof.explore import Path, Weight
from draftproof.proof.foreign.formula import Reading
from draftproof.proof.noise import Region, run_race, whole

BETWEEN = {"random", "bisect", "numpy", "torch", "jaxtyping", "beartype"}
"""Modules whose frames are not the program's own: they lie between it and a number. So do ours."""

NEGLIGIBLE = Fraction(1, 2**20)
"""An event that only a guard against log 0 or division by 0 asks about, and that is rarer than this, is taken not to
happen; its probability is added to `Run.rounding`. 1e-6 is the largest such guard seen in public code."""


Interval = tuple[int, int, int]
"""What is known of a uniform number: (low, high, scale) if it lies in [low / scale, high / scale). Whole numbers, since every
comparison reads them."""

TINY = 2**45
"""One over the width of an event on u that counts as rounding. A cumulative sum of floats that ends at 1 - 2**-53 leaves such a
one above it; laws of small denominators have none. Its probability is added to `Run.rounding`."""

UNKNOWN: Interval = (0, 1, 1)
"""What is known of a number that was never asked about."""


class Raced(NamedTuple):
    """What one race showed: noise / rate was smallest for `winner`."""

    rates: dict[Reading, Fraction]
    winner: Reading


Seed = tuple[str, str]
"""A library, and what its generator starts from."""


class Run:
    """One path of a program.

    Attributes:
        path: its decisions.
        rounding: how far, in total variation, this path's decisions may be from exact ones: thresholds and rates that are
            an exponential of a float, and guards that were neglected.
        fault: the error of ours that was raised first, in case the program swallows it.
        over: True once the program has returned; a number of a run that is over must not be read by another.
        seeds: that generators started from so far; a round starts with those of the rounds before it.
    """

    def __init__(self, path: Path, seeds: frozenset[Seed] = frozenset()) -> None:
        self.path = path
        self.rounding = Fraction(0)
        self.fault: DraftproofError | None = None
        self.over = False
        self.seeds = seeds
        self._thread = get_ident()
        self._intervals: list[Interval] = []
        self._retired = 0  # variables before this one belong to a round that is over
        self._races: dict[int, list[Raced]] = {}  # by variable; a list is shared by all variables that its races concern

    def check(self) -> None:
        """Return if nothing was refused.

        Raises:
            DraftproofError: what was refused first, whether the program swallowed it or not.
        """
        if self.fault:
            raise self.fault

    def refuse(self, what: str) -> NoReturn:
        """Raise what a program cannot swallow: the run ends with it whatever the program does.

        Raises:
            Untracked: always.
        """
        error = Untracked(f"{what}, at {program_line()}")
        self.fault = self.fault or error
        raise error

    def choose(self, weights: Sequence[Weight], what: str) -> int:
        """An index in proportion to its weight: a draw, decided at once."""
        self.check_caller(what)
        return self._decide(weights, what)

    def _decide(self, weights: Sequence[Weight], what: str) -> int:
        try:
            return self.path.choose(weights, what)
        except DraftproofError as error:
            self.fault = self.fault or error
            raise

    def draw(self) -> int:
        """A new variable."""
        self.check_caller("a draw")
        self._intervals.append(UNKNOWN)
        return len(self._intervals) - 1

    def seeded(self, library: str, seed: object) -> None:
        """Note that a generator starts from a seed. Draws from it count as random, so a second one from it would not be told apart."""
        if seed is None:
            return
        key = (library, repr(seed))
        if key in self.seeds:
            self.refuse(
                f"{library} is seeded with {seed!r} a second time, so its draws repeat earlier ones; seed once, outside the program"
            )
        self.seeds |= {key}

    def retire(self) -> None:
        """Note that a round is over: the numbers drawn so far must not be read any more."""
        self._retired = len(self._intervals)

    def interval(self, variable: int) -> tuple[Fraction, Fraction]:
        """Between what numbers u is known to lie."""
        self._check_lives(variable)
        low, high, scale = self._intervals[variable]
        return Fraction(low, scale), Fraction(high, scale)

    def below(self, variable: int, threshold: int, whole: int) -> bool:
        """Decide whether u is below threshold / whole, and remember it. `whole` is positive."""
        if self.over or variable < self._retired or get_ident() != self._thread:
            self.check_caller("a comparison")
            self._check_lives(variable)
        low, high, scale = self._intervals[variable]
        edge = threshold * scale
        below, above = edge - low * whole, high * whole - edge
        if below <= 0 or above <= 0:
            return below > 0
        if min(below, above) * TINY < whole * scale:
            self.rounding += Fraction(min(below, above), below + above)
            return below > above
        if variable in self._races:
            self.refuse("a random number that took part in a race is compared with a number")
        common = gcd(below, above)
        taken = self._decide((below // common, above // common), f"uniform number {variable} below or above")
        low, high, scale = (edge - below, edge, scale * whole) if taken == 0 else (edge, edge + above, scale * whole)
        common = gcd(low, high, scale)
        self._intervals[variable] = (low // common, high // common, scale // common)
        return taken == 0

    def first(self, runners: Sequence[tuple[Reading, Fraction]]) -> int:
        """Decide which runner wins: noise / rate is smallest. Every rate is positive."""
        self.check_caller("a race")
        places: dict[Reading, int] = {}
        for place, (reading, rate) in enumerate(runners):
            if reading not in places or rate > runners[places[reading]][1]:
                places[reading] = place
        rates = {reading: runners[place][1] for reading, place in places.items()}
        if len(rates) == 1:
            return next(iter(places.values()))
        self._check_race(rates)
        past = self._join(rates)
        weights = (
            list(rates.values()) if not past else [sum((part.share for part in region), Fraction(0)) for region in _regions(past, rates)]
        )
        winner = list(rates)[self.choose(weights, f"race of {len(rates)} numbers from {min(reading.variable for reading in rates)} on")]
        past.append(Raced(rates, winner))
        return places[winner]

    def _check_race(self, rates: dict[Reading, Fraction]) -> None:
        for reading in rates:
            self._check_lives(reading.variable)
            known = self._races.get(reading.variable, ())
            if self._intervals[reading.variable] != UNKNOWN:
                self.refuse("a random number that was compared with a number takes part in a race")
            mirrored = Reading(reading.variable, not reading.mirrored)
            if mirrored in rates or any(mirrored in race.rates for race in known):
                self.refuse("log u and log(1 - u) of one random number take part in races")

    def _join(self, rates: dict[Reading, Fraction]) -> list[Raced]:
        """The races that concern any of these runners, as one list shared by all whom they concern."""
        lists = {id(races): races for reading in rates if (races := self._races.get(reading.variable)) is not None}
        joined = next(iter(lists.values())) if len(lists) == 1 else [race for races in lists.values() for race in races]
        for reading in (*rates, *(runner for race in joined for runner in race.rates)):
            self._races[reading.variable] = joined
        return joined

    def _check_lives(self, variable: int) -> None:
        if variable < self._retired:
            self.refuse("a random number outlives its round: it was drawn before a boundary and is read after it")

    def check_caller(self, what: str) -> None:
        if get_ident() != self._thread:
            self.refuse(f"{what} in a second thread, whose order is not a function of the draws; run the program in one thread")
        if self.over:
            raise self.stale()

    def stale(self) -> NotReproducible:
        """The error of a program that keeps a random number from one run to the next."""
        error = NotReproducible(f"a random number of an earlier run is read, at {program_line()}; the program must not keep state")
        self.fault = self.fault or error
        return error


def _regions(past: Sequence[Raced], rates: dict[Reading, Fraction]) -> tuple[Region, ...]:
    """What remains of the directions for each winner, after all that the past showed."""
    members = list(dict.fromkeys([*(reading for race in past for reading in race.rates), *rates]))
    region = whole(len(members))
    for race in past:
        region = run_race(region, tuple(race.rates.get(reading, Fraction(0)) for reading in members))[members.index(race.winner)]
    parts = run_race(region, tuple(rates.get(reading, Fraction(0)) for reading in members))
    return tuple(parts[members.index(reading)] for reading in rates)


def program_line() -> str:
    """The innermost line of the program itself: `file:line: text`."""
    frame: FrameType | None = sys._getframe(1)
    while frame and _lies_between(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    if frame is None:
        return "an unknown line"
    name = frame.f_code.co_filename
    return f"{name}:{frame.f_lineno}: {getline(name, frame.f_lineno).strip()}"


def _lies_between(module: str) -> bool:
    return module.startswith("draftproof.proof") or module.partition(".")[0] in BETWEEN
