"""The exact law of what an ordinary Python function emits, whoever wrote it.

The function is run once for every path of its randomness, and a path's probability is a fraction. It needs no change:
the draws of `random`, of numpy and of torch are caught where they are made, and the numbers they give are followed until
they are compared. A number that goes where it cannot be followed raises `Untracked`; it is never guessed.
"""

from collections.abc import Callable, Hashable

from draftproof.errors import BadRequest
from draftproof.proof.explore import Path
from draftproof.proof.foreign.exploration import Exploration
from draftproof.proof.foreign.flow import Found
from draftproof.proof.foreign.report import Budget, ProgramLaw, Progress
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.stage import Stage


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
        progress: called from time to time and at the end, in the world as it is outside the exploration.

    Raises:
        Untracked: a random number reached an operation that has no exact rule; the message names both it and the line.
        NotReproducible: a run did not repeat an earlier one with the same draws; the message shows both.
        BadRequest: it cannot be called without arguments, it returns what cannot be compared, or the budget is empty.
    """
    if not callable(program):
        raise BadRequest(f"expected a function of no arguments; got {program!r:.80}")
    stage = Stage(program)

    def play(_: Hashable, path: Path) -> tuple[Found, Run]:
        run = Run(path)
        return Found(True, stage.perform(run, lambda: stage.value(program()))), run

    return Exploration(stage, play, budget, progress).run()
