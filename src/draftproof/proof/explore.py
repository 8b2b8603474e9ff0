"""Run a program once for every outcome of its randomness, and weigh each run exactly.

A program is a function of one `Path`, and takes every random decision by `path.choose(weights)`. It is run again and
again, depth first, each time with a recorded beginning of decisions; where the record ends it takes the first live
branch, and the others are queued. So the code under proof needs no hooks, only to be a function of its decisions.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from draftproof.errors import BadLaw, NotReproducible

Start = TypeVar("Start")
Outcome = TypeVar("Outcome")

Weight = int | Fraction


class Decision(NamedTuple):
    """One fork: the weights that were offered, the branch that was taken, and what was decided, in words."""

    weights: tuple[Weight, ...]
    taken: int
    what: str = ""

    def __str__(self) -> str:
        return f"{self.what or 'decision'} {[str(weight) for weight in self.weights]} -> {self.taken}"


class Chance(NamedTuple):
    """A probability as two whole numbers that are not reduced, since it is multiplied far more often than it is read."""

    share: int = 1
    whole: int = 1

    def times(self, weight: Weight, total: Weight) -> "Chance":
        return Chance(self.share * weight.numerator * total.denominator, self.whole * weight.denominator * total.numerator)


class Script(NamedTuple):
    """Decisions that a run must repeat, and the probability that a run of the program begins so."""

    decisions: Sequence[Decision] = ()
    chance: Chance = Chance()


class Path:
    """One run of a program: the decisions it must repeat, and those it has taken."""

    __slots__ = ("_chance", "_forks", "script", "taken")

    def __init__(self, script: Script = Script()) -> None:  # noqa: B008  # immutable
        self.script = script.decisions
        self.taken: list[Decision] = []
        self._chance = script.chance
        self._forks: list[Chance] = []  # before each decision beyond the script

    @property
    def probability(self) -> Fraction:
        """Of the decisions taken, once all of the script are among them."""
        return Fraction(*self._chance)

    def choose(self, weights: Sequence[Weight], what: str = "") -> int:
        """An index, in proportion to its weight. A decision with one live branch is no fork and is not recorded.

        Args:
            what: what is decided, for messages; a replay must decide the same.

        Raises:
            BadLaw: no branch has weight.
            NotReproducible: the script expects another decision here; the message has both runs side by side.
        """
        place, weights = len(self.taken), tuple(weights)
        expected = self.script[place] if place < len(self.script) else None
        if expected is not None and expected.weights == weights and expected.what == what:
            self.taken.append(expected)
            return expected.taken
        live = [index for index, weight in enumerate(weights) if weight > 0]
        if not live:
            raise BadLaw(f"decision {place} has no branch with weight: {[str(weight) for weight in weights]}")
        if len(live) == 1:
            return live[0]
        if expected is not None:
            raise NotReproducible(
                f"decision {place} was another when it was first met; the program must not keep state from one run to the next"
                + side_by_side(self.script, [*self.taken, Decision(weights, expected.taken, what)])
            )
        self.taken.append(Decision(weights, live[0], what))
        self._forks.append(self._chance)
        self._chance = self._chance.times(weights[live[0]], sum(weights))
        return live[0]

    def check_ended(self) -> None:
        """Return if the run took all decisions of its script.

        Raises:
            NotReproducible: it ended before.
        """
        if len(self.taken) < len(self.script):
            raise NotReproducible(
                f"a run ended after {len(self.taken)} decisions; the same run had {len(self.script)} before"
                + side_by_side(self.script, self.taken)
            )

    def siblings(self) -> Iterator[Script]:
        """The scripts of the branches that this run passed by, beyond its own script."""
        for place, chance in enumerate(self._forks, start=len(self.script)):
            weights, taken, what = self.taken[place]
            total = sum(weights)
            for other in range(len(weights) - 1, taken, -1):
                if weights[other] > 0:
                    yield Script([*self.taken[:place], Decision(weights, other, what)], chance.times(weights[other], total))


def side_by_side(first: Sequence[Decision], second: Sequence[Decision]) -> str:
    """Two runs that should be one, a decision a line."""
    pairs = zip_longest(map(str, first), map(str, second), fillvalue="the run ended")
    return "".join(f"\n  {number}: first {one}; now {'the same' if one == other else other}" for number, (one, other) in enumerate(pairs))


def paths(beginning: Sequence[Decision] = ()) -> Iterator[Path]:
    """Every path with that beginning, depth first, with its probability from there. Each must be run before the next is asked for."""
    waiting = [Script(beginning)]
    while waiting:
        path = Path(waiting.pop())
        yield path
        waiting += path.siblings()


def explore(program: Callable[[Path], Outcome]) -> Iterator[tuple[Outcome, Fraction]]:
    """Every outcome of the program with the probability of the path that led to it; they sum to exactly 1.

    Raises:
        NotReproducible: a run did not repeat the decisions of an earlier one.
    """
    for path in paths():
        outcome = program(path)
        path.check_ended()
        yield outcome, path.probability


def explore_from(
    starts: Iterable[Start], program: Callable[[list[tuple[Start, Path]]], list[Outcome]], *, together: int
) -> Iterator[tuple[Start, Outcome, Fraction]]:
    """Every outcome of a program from each of its starts, with the probability of the path from there.

    Args:
        program: runs up to `together` paths, each from its own start, and returns their outcomes in order.
    """
    waiting = [(start, Script()) for start in starts]
    while waiting:
        runs = [(start, Path(script)) for start, script in waiting[-together:]]
        del waiting[-together:]
        for (start, path), outcome in zip(runs, program(runs), strict=True):
            path.check_ended()
            yield start, outcome, path.probability
            waiting += ((start, script) for script in path.siblings())
