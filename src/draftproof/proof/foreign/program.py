"""The exact law of what an ordinary Python function emits, whoever wrote it.

The function is run once for every path of its randomness, and a path's probability is a fraction. It needs no change:
the draws of `random`, of numpy and of torch are caught where they are made, and the numbers they give are followed until
they are compared. A number that goes where it cannot be followed raises `Untracked`; it is never guessed.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from time import monotonic
from typing import NamedTuple

from draftproof.errors import BadRequest, DraftproofError, NotReproducible
from draftproof.proof.explore import Decision, Path, explore, side_by_side
from draftproof.proof.foreign.outcome import outcome_of
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.stage import Stage
from draftproof.proof.laws import Bounds, bounds

REPEATED = 4
"""First paths that are run again at the end, so that state that built up in between is seen in what they return."""


class Budget(NamedTuple):
    """When to stop, whether all is explored or not."""

    paths: int = 100_000
    seconds: float = float("inf")


class Progress(NamedTuple):
    """How far an exploration is.

    Attributes:
        paths: run so far.
        explored: their probability; what remains is 1 - explored.
        seconds: that they took.
    """

    paths: int
    explored: Fraction
    seconds: float


@dataclass(frozen=True)
class ProgramLaw:
    """The law of what a program returns, as far as it was explored.

    Attributes:
        law: from what it returns, arrays as tuples, to its probability. Sums to `progress.explored`.
        progress: paths, their probability, and the time they took.
        decisions: on the longest path.
        rounding: how far `law` may be, in total variation, from the law in real numbers, because exponentials of floats and
            guards against 0 cannot be exact. 0 if the program only drew, compared and divided.
    """

    law: Mapping[Hashable, Fraction]
    progress: Progress
    decisions: int
    rounding: Fraction

    @property
    def complete(self) -> bool:
        """True if every path was run."""
        return self.progress.explored == 1

    def distance(self, expected: Mapping[Hashable, Fraction]) -> Bounds:
        """Between which numbers the total variation to another law lies: one number, twice, if all was explored."""
        return bounds(self.law, expected)


def explore_program(
    program: Callable[[], object],
    *,
    budget: Budget = Budget(),  # noqa: B008  # immutable
    progress: Callable[[Progress], None] | None = None,
) -> ProgramLaw:
    """The exact law of what `program()` returns, one path after another, depth first.

    torch is watched if the process has imported it. Uniform numbers are real numbers in [0, 1), not floats: events that
    only the lattice of floats makes possible, such as a draw of exactly 0, have probability 0.

    Args:
        program: a function of its randomness alone: what it changes, it makes anew in each run.
        budget: when to stop with a part of the law.
        progress: called after every path.

    Raises:
        Untracked: a random number reached an operation that has no exact rule; the message names both it and the line.
        NotReproducible: a run did not repeat an earlier one with the same draws; the message shows both.
        BadRequest: it cannot be called without arguments, it returns what cannot be compared, or the budget is empty.
    """
    if not callable(program) or budget.paths < 1 or not budget.seconds > 0:
        raise BadRequest(f"expected a function of no arguments and a budget above 0; got {program!r:.80} and {budget}")
    stage, start = Stage(program), monotonic()
    law: dict[Hashable, Fraction] = {}
    rounding, explored, paths = Fraction(0), Fraction(0), 0
    records: list[tuple[list[Decision], Hashable]] = []
    deepest = 0

    def run_once(path: Path) -> tuple[Hashable, Path, Fraction]:
        run = Run(path)
        outcome = _returned(program, run, stage)
        if not paths:
            stage.check_untouched()
        return outcome, path, run.rounding

    for (outcome, path, error), probability in islice(explore(run_once), budget.paths):
        law[outcome] = law.get(outcome, Fraction(0)) + probability
        paths, explored, rounding = paths + 1, explored + probability, rounding + probability * error
        deepest = max(deepest, len(path.taken))
        if len(records) < REPEATED:
            records.append((path.taken, outcome))
        if progress:
            progress(Progress(paths, explored, monotonic() - start))
        if monotonic() - start > budget.seconds:
            break
    for taken, outcome in records:
        _check_repeats(taken, outcome, run_once)
    stage.check_untouched()
    return ProgramLaw(law, Progress(paths, explored, monotonic() - start), deepest, rounding)


def _returned(program: Callable[[], object], run: Run, stage: Stage) -> Hashable:
    """What one run of the program returns, as a value."""
    try:
        with stage.during(run) as shadow:
            outcome = outcome_of(program(), run, shadow)
    except DraftproofError as error:
        raise (run.fault or error) from None
    except Exception as error:
        if run.fault:
            raise run.fault from error
        error.add_note("the program raised it after" + "".join(f"\n  {decision}" for decision in run.path.taken))
        raise
    if run.fault:
        raise run.fault
    return outcome


def _check_repeats(taken: list[Decision], outcome: Hashable, run_once: Callable[[Path], tuple[Hashable, Path, Fraction]]) -> None:
    again, path, _ = run_once(Path(taken))
    if again != outcome or path.taken != taken:
        raise NotReproducible(
            f"the same draws led to {outcome!r} first and to {again!r} later; the program must be a function of its randomness "
            "and keep no state from one run to the next" + side_by_side(taken, path.taken)
        )
