"""The exact law of a program that works in rounds on a state of its own, with equal states merged.

A loop that is run whole has a path for every way its rounds can follow each other. Run round by round, from each state it
can be in, it has one for every way a single round can go: what differs in its past but is equal in its state is run once.
"""

from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any, NamedTuple

from draftproof.errors import BadRequest, Untracked
from draftproof.proof.explore import Path
from draftproof.proof.foreign.exploration import Exploration
from draftproof.proof.foreign.flow import Found
from draftproof.proof.foreign.report import Budget, ProgramLaw, Progress
from draftproof.proof.foreign.run import Run, Seed
from draftproof.proof.foreign.stage import Stage
from draftproof.proof.freeze import Freezer


class State(NamedTuple):
    """All that a round can see of earlier ones.

    Attributes:
        frozen: the state of the program, as bytes.
        seeds: that generators started from; a second start from one of them would repeat its numbers.
    """

    frozen: bytes
    seeds: frozenset[Seed]

    def __repr__(self) -> str:
        return f"a state of {len(self.frozen)} bytes with the digest {blake2b(self.frozen, digest_size=4).hexdigest()}"


def explore_rounds(
    start: Callable[[], Any],
    step: Callable[[Any], object],
    outcome: Callable[[Any], object | None],
    *,
    budget: Budget = Budget(),  # noqa: B008  # immutable
    progress: Callable[[Progress], None] | None = None,
) -> ProgramLaw:
    """The exact law of `outcome(state)` after `state = start()` and as many `step(state)` as it takes.

    A state is all that a round can see of earlier ones, and is written down as bytes between them; a random number cannot
    be, so none lives longer than a round.

    Args:
        start: makes the state before the first round.
        step: one round; it changes the state.
        outcome: what the program returns in a state, None while it goes on.

    Raises:
        Untracked: as `explore_program` does; also, a state holds a random number.
        NotReproducible: as `explore_program` does: what a round keeps outside its state is seen when it is run again.
        BadRequest: as `explore_program` does; also, rounds lead back to a state that they came from.
    """
    if not (callable(start) and callable(step) and callable(outcome)):
        raise BadRequest(f"expected three functions; got {start!r:.80}, {step!r:.80} and {outcome!r:.80}")
    stage = Stage(start, step, outcome)
    freezer = Freezer(reducers=stage.reducers)

    def play(before: Hashable, path: Path) -> tuple[Found, Run]:
        known = before if isinstance(before, State) else None
        run = Run(path, known.seeds if known else frozenset())

        def one_round() -> Found:
            state = freezer.thaw(known.frozen) if known else start()
            if known:
                step(state)
            result = stage.value(outcome(state))
            return Found(False, State(_frozen(freezer, state, run), run.seeds)) if result is None else Found(True, result)

        return stage.perform(run, one_round), run

    return Exploration(stage, play, budget, progress).run()


def _frozen(freezer: Freezer, state: Any, run: Run) -> bytes:
    """The state as bytes.

    Raises:
        Untracked: it holds a random number.
    """
    run.check()
    try:
        return freezer.freeze(state)
    except Untracked:
        run.fault = Untracked("a random number outlives its round: the state between rounds holds one; decide by it, or drop it, before")
        raise
