"""What an exploration is given, and what it reports: when to stop, how far it is, and the law that it found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from draftproof.errors import BadRequest
from draftproof.proof.explore import Decision
from draftproof.proof.laws import Bounds, bounds


class Budget(NamedTuple):
    """When to stop, whether all is explored or not.

    Attributes:
        replays: the most runs.
        seconds: the most time they may take.
    """

    replays: int = 100_000
    seconds: float = float("inf")

    def check(self) -> None:
        """Return if something can be done within it.

        Raises:
            BadRequest: nothing can.
        """
        if self.replays < 1 or not self.seconds > 0:
            raise BadRequest(f"expected a budget above 0; got {self}")


class Progress(NamedTuple):
    """How far an exploration is.

    Attributes:
        replays: runs that were made, those included that were made again to see whether they repeat.
        paths: the whole paths that they stand for, from start to end: where equal states are merged, one run of a round is
            part of many; elsewhere a path is a run.
        explored: the probability of these paths; what remains is 1 - explored.
        seconds: that it took.
    """

    replays: int
    paths: int
    explored: Fraction
    seconds: float


@dataclass(frozen=True)
class ProgramLaw:
    """The law of what a program returns, as far as it was explored.

    Attributes:
        law: from what it returns, arrays as tuples, to its probability. Sums to `progress.explored`.
        progress: runs, paths, their probability, and the time they took.
        decisions: on the longest path.
        rounding: how far `law` may be, in total variation, from the law in real numbers, because exponentials of floats and
            guards against 0 cannot be exact. 0 if the program only drew, compared and divided.
        likeliest: from what it returns to the decisions of the likeliest path to it, of equal ones the first that was met.
    """

    law: Mapping[Any, Fraction]
    progress: Progress
    decisions: int
    rounding: Fraction
    likeliest: Mapping[Any, tuple[Decision, ...]] = field(default_factory=dict, repr=False)

    @property
    def complete(self) -> bool:
        """True if every path was run."""
        return self.progress.explored == 1

    def distance(self, expected: Mapping[Any, Fraction]) -> Bounds:
        """Between which numbers the total variation to another law lies: one number, twice, if all was explored."""
        return bounds(self.law, expected)
