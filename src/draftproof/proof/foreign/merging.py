"""The exact law of a program that cannot be cut into rounds, such as a library's whole `generate`, with equal rounds merged.

The program says where a round ends, and with a key of everything that the rest of the run depends on: the tokens, what
the caches hold, where a schedule stands. A run that ends a round is abandoned there. Its probability flows to the key,
and the rounds that follow a key are explored once, by runs that begin with the first decisions that were seen to lead to it.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple

from draftproof.errors import BadRequest, NotReproducible
from draftproof.proof.explore import Decision, Path, side_by_side
from draftproof.proof.foreign.exploration import START, Exploration
from draftproof.proof.foreign.flow import Found
from draftproof.proof.foreign.report import Budget, ProgramLaw, Progress
from draftproof.proof.foreign.run import Run, Seed
from draftproof.proof.foreign.stage import Stage

CHECKED = 3
"""Keys that are explored a second time, from other decisions that lead to them, to see whether the same follows."""

SWALLOWED = "the program caught what ends its run at a boundary; let it pass `except BaseException` and `except:`"

Boundary = Callable[[Hashable], None]


class Key(NamedTuple):
    """What the rest of a run depends on: what the program says it does, and the seeds that must not be met again."""

    said: Hashable
    seeds: frozenset[Seed]


class Beginning(NamedTuple):
    """How a run reaches a key: by which decisions, and as its how manieth boundary."""

    decisions: Sequence[Decision]
    boundaries: int


class Abandoned(BaseException):
    """Ends a run at a boundary. No `Exception`, so that a library does not swallow it."""


def explore_merged(
    program: Callable[[Boundary], object],
    *,
    budget: Budget = Budget(),  # noqa: B008  # immutable
    progress: Callable[[Progress], None] | None = None,
) -> ProgramLaw:
    """The exact law of what `program(boundary)` returns.

    A random number that was drawn before a boundary must not be read after it. That a key leaves nothing out is checked on
    the first few keys that are reached in two ways: the same must follow from both.

    Args:
        program: a function of its randomness alone. At the end of every round it calls `boundary(key)`; a key may hold
            arrays and tensors, which count as their numbers, and is never the same in two rounds of one run.

    Raises:
        Untracked: as `explore_program` does; also, a random number outlives its round.
        NotReproducible: as `explore_program` does; also, a key leaves out something that the rest of the run depends on.
        BadRequest: as `explore_program` does; also, a key does not tell the rounds apart.
    """
    if not callable(program):
        raise BadRequest(f"expected a function of a boundary; got {program!r:.80}")
    stage = Stage(program)
    merging = Merging(stage, program)
    exploration = Exploration(stage, merging.play, budget, progress, merging.beginning)
    return exploration.run(check=lambda: merging.check_keys(exploration))


class Merging:
    """The keys of one program."""

    def __init__(self, stage: Stage, program: Callable[[Boundary], object]) -> None:
        self._stage, self._program = stage, program
        self._beginnings: dict[Hashable, Beginning] = {START: Beginning((), 0)}
        self._others: dict[Hashable, Beginning] = {}  # of keys that were reached in a second way

    def beginning(self, node: Hashable) -> Sequence[Decision]:
        """The decisions with which a run from a key begins."""
        return self._beginnings[node].decisions

    def play(self, node: Hashable, path: Path) -> tuple[Found, Run]:
        """A run from a key to the next boundary or to its end."""
        run, beginning = Run(path), self._beginnings[node]
        passed, reached = 0, []

        def boundary(said: Hashable) -> None:
            nonlocal passed
            run.check()
            key, passed = Key(self._stage.value(said, "gives as a key"), run.seeds), passed + 1
            if passed > beginning.boundaries:
                reached.append(key)
                self._note(key, Beginning(tuple(path.taken), passed))
                raise Abandoned
            if passed == beginning.boundaries and (key, tuple(path.taken)) != (node, tuple(beginning.decisions)):
                raise NotReproducible(
                    f"the same draws led to the key {_said(node)} first and to {_said(key)} later; the program must be a function of its "
                    "randomness and keep no state from one run to the next" + side_by_side(beginning.decisions, path.taken)
                )
            run.retire()

        def performed() -> Found:
            try:
                returned = self._program(boundary)
            except Abandoned:
                return Found(False, reached[0])
            except Exception:
                if reached:
                    raise BadRequest(SWALLOWED) from None
                raise
            if reached:
                raise BadRequest(SWALLOWED)
            if passed < beginning.boundaries:
                raise NotReproducible(
                    f"the same draws passed {beginning.boundaries} boundaries first and {passed} later; the program must be a function of "
                    "its randomness and keep no state from one run to the next"
                )
            return Found(True, self._stage.value(returned))

        return self._stage.perform(run, performed), run

    def check_keys(self, exploration: Exploration) -> None:
        """Return if the same follows from a key whichever way led to it, as far as a few of them tell.

        Raises:
            NotReproducible: a key leaves something out.
        """
        known = [(key, other) for key, other in self._others.items() if exploration.is_known(key)]
        for key, other in known[:CHECKED]:
            first, ahead = self._beginnings[key], exploration.known(key).flows
            self._beginnings[key] = other
            again = exploration.ahead(key).flows
            self._beginnings[key] = first
            for found in ahead | again:
                chances = [flows[found].probability if found in flows else Fraction(0) for flows in (ahead, again)]
                if chances[0] != chances[1]:
                    raise NotReproducible(
                        f"the key {_said(key)} leaves out something that the rest of the run depends on: reached in two ways, it leads to "
                        f"{_said(found.place)} with probability {chances[0]} and {chances[1]}; put into the key what the two ways differ in"
                        + side_by_side(first.decisions, other.decisions)
                    )

    def _note(self, key: Key, beginning: Beginning) -> None:
        if key not in self._beginnings:
            self._beginnings[key] = beginning
        elif key not in self._others and beginning != self._beginnings[key]:
            self._others[key] = beginning


def _said(place: Hashable) -> str:
    """A key or an outcome, for a message."""
    return f"{place.said if isinstance(place, Key) else place!r:.200}"
