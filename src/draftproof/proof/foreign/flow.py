"""What flows along the paths of a program from one place to the next: probability, the number of paths, the likeliest of them.

A place is an outcome, or a node: a state from which the program goes on, the same whichever way led there.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple

from draftproof.proof.explore import Decision, Path


class Found(NamedTuple):
    """Where a run led: to an outcome, or to a node from which the program goes on."""

    ends: bool
    place: Hashable


class Way(NamedTuple):
    """Decisions, after those of an earlier part of the way."""

    earlier: "Way | None"
    decisions: Sequence[Decision]

    def flat(self) -> tuple[Decision, ...]:
        """All decisions in order."""
        parts: list[Sequence[Decision]] = []
        way: Way | None = self
        while way is not None:
            parts.append(way.decisions)
            way = way.earlier
        return tuple(decision for part in reversed(parts) for decision in part)


class Flow(NamedTuple):
    """What leads to one place by all the paths to it.

    Attributes:
        probability: of all paths together.
        paths: how many there are.
        decisions: on the longest.
        likeliest: the probability of the likeliest.
        way: the likeliest, of equal ones the first.
    """

    probability: Fraction
    paths: int
    decisions: int
    likeliest: Fraction
    way: Way

    def beside(self, other: "Flow") -> "Flow":
        """Of these paths and those."""
        likelier = other if other.likeliest > self.likeliest else self
        probability, longest = self.probability + other.probability, max(self.decisions, other.decisions)
        return Flow(probability, self.paths + other.paths, longest, likelier.likeliest, likelier.way)

    def then(self, later: "Flow") -> "Flow":
        """Of every one of these paths followed by every one of those, which are one run long."""
        way = Way(self.way, later.way.decisions)
        decisions, likeliest = self.decisions + later.decisions, self.likeliest * later.likeliest
        return Flow(self.probability * later.probability, self.paths * later.paths, decisions, likeliest, way)


CERTAIN = Flow(Fraction(1), 1, 0, Fraction(1), Way(None, ()))
"""The one path that has not begun."""


class Ahead:
    """What lies one run ahead of a node.

    Attributes:
        flows: to every place.
        rounding: of the runs, weighted by their probability.
    """

    def __init__(self) -> None:
        self.flows: dict[Found, Flow] = {}
        self.rounding = Fraction(0)

    def add(self, found: Found, path: Path, rounding: Fraction, beginning: int) -> None:
        """Count a run, of which the first decisions led to the node."""
        probability = path.probability
        flow = Flow(probability, 1, len(path.taken) - beginning, probability, Way(None, path.taken[beginning:]))
        before = self.flows.get(found)
        self.flows[found] = before.beside(flow) if before else flow
        if rounding:
            self.rounding += probability * rounding
