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


class Decision(NamedTuple):
    """One fork: the weights that were offered, the branch that was taken, and what was decided, in words."""

    weights: tuple[Fraction, ...]
    taken: int
    what: str = ""

    def __str__(self) -> str:
        return f"{self.what or 'decision'} {[str(weight) for weight in self.weights]} -> {self.taken}"


class Path:
    """One run of a program: the decisions it must repeat, and those it has taken.

    Attributes:
        probability: of the decisions taken so far.
    """

    def __init__(self, script: Sequence[Decision] = ()) -> None:
        self.script = script
        self.taken: list[Decision] = []
        self.probability = Fraction(1)

    def choose(self, weights: Sequence[Fraction], what: str = "") -> int:
        """An index, in proportion to its weight. A decision with one live branch is no fork and is not recorded.

        Args:
            what: what is decided, for messages; a replay must decide the same.

        Raises:
            BadLaw: no branch has weight.
            NotReproducible: the script expects another decision here; the message has both runs side by side.
        """
        live = [index for index, weight in enumerate(weights) if weight > 0]
        if not live:
            raise BadLaw(f"decision {len(self.taken)} has no branch with weight: {[str(weight) for weight in weights]}")
        if len(live) == 1:
            return live[0]
        place = len(self.taken)
        decision = self.script[place] if place < len(self.script) else Decision(tuple(weights), live[0], what)
        if (decision.weights, decision.what) != (tuple(weights), what):
            now = Decision(tuple(weights), decision.taken, what)
            raise NotReproducible(
                f"decision {place} was another when it was first met; the program must not keep state from one run to the next"
                + side_by_side(self.script, [*self.taken, now])
            )
        self.taken.append(decision)
        self.probability *= weights[decision.taken] / sum(weights, Fraction(0))
        return decision.taken

    def siblings(self) -> Iterator[list[Decision]]:
        """The scripts of the branches that this run passed by, beyond its own script."""
        for place in range(len(self.script), len(self.taken)):
            weights, taken, what = self.taken[place]
            for other in range(len(weights) - 1, taken, -1):
                if weights[other] > 0:
                    yield [*self.taken[:place], Decision(weights, other, what)]


def side_by_side(first: Sequence[Decision], second: Sequence[Decision]) -> str:
    """Two runs that should be one, a decision a line."""
    pairs = zip_longest(map(str, first), map(str, second), fillvalue="the run ended")
    return "".join(f"\n  {number}: first {one}; now {'the same' if one == other else other}" for number, (one, other) in enumerate(pairs))


def explore(program: Callable[[Path], Outcome]) -> Iterator[tuple[Outcome, Fraction]]:
    """Every outcome of the program with the probability of the path that led to it; they sum to exactly 1.

    Raises:
        NotReproducible: a run did not repeat the decisions of an earlier one.
    """

    def run(runs: list[tuple[None, Path]]) -> list[Outcome]:
        return [program(path) for _, path in runs]

    for _start, outcome, probability in explore_from([None], run, together=1):
        yield outcome, probability


def explore_from(
    starts: Iterable[Start], program: Callable[[list[tuple[Start, Path]]], list[Outcome]], *, together: int
) -> Iterator[tuple[Start, Outcome, Fraction]]:
    """Every outcome of a program from each of its starts, with the probability of the path from there.

    Args:
        program: runs up to `together` paths, each from its own start, and returns their outcomes in order.
    """
    waiting: list[tuple[Start, Sequence[Decision]]] = [(start, ()) for start in starts]
    while waiting:
        runs = [(start, Path(script)) for start, script in waiting[-together:]]
        del waiting[-together:]
        for (start, path), outcome in zip(runs, program(runs), strict=True):
            if len(path.taken) < len(path.script):
                raise NotReproducible(
                    f"a run ended after {len(path.taken)} decisions; the same run had {len(path.script)} before"
                    + side_by_side(path.script, path.taken)
                )
            yield start, outcome, path.probability
            waiting += ((start, script) for script in path.siblings())
