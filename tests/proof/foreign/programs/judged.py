"""What the proof says of a program, beside what the grid says."""

from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from draftproof.errors import Untracked
from draftproof.proof.foreign import explore_program
from draftproof.proof.laws import compare
from programs.arrays import ArrayDraws, Arrays
from programs.grid import law_on_the_grid
from programs.interpreter import Kit, perform
from programs.lists import Lists, StandardDraws
from programs.statements import Program, every
from programs.tensors import TensorDraws, Tensors

ROUNDED = {"torch": Fraction(1, 2**18)}
"""How far a law may be, beyond what is reported, when the program itself takes logarithms or reciprocals of its weights and
does so with 24 bits; 53 bits for the others."""


class Judged(NamedTuple):
    """One program.

    Attributes:
        refusal: why the proof has no law, empty if it has.
        distance: total variation from the law on the grid.
        allowed: of it; 0 unless the program takes logarithms or powers.
        paths: that the proof ran.
    """

    refusal: str
    distance: Fraction = Fraction(0)
    allowed: Fraction = Fraction(0)
    paths: int = 0

    @property
    def agrees(self) -> bool:
        return self.distance <= self.allowed


def kit(library: str) -> Kit:
    match library:
        case "random":
            return Kit(StandardDraws(), Lists())
        case "numpy":
            return Kit(ArrayDraws(np.random.default_rng()), Arrays())
        case "numpy.random":
            return Kit(ArrayDraws(np.random), Arrays())
        case "torch":
            return Kit(TensorDraws(), Tensors())
    raise ValueError(f"no library {library}")


def judged(program: Program) -> Judged:
    """The proof's law against the grid's."""
    try:
        found = explore_program(partial(run, program))
    except Untracked as error:
        return Judged(str(error))
    gap = compare(found.law, law_on_the_grid(program)).total_variation
    rounds = found.rounding or any(step[0] == "noise" and step[1] != "exponential" for step in every(program.steps))
    slack = ROUNDED.get(program.library, Fraction(1, 2**45)) if rounds else Fraction(0)
    return Judged("", gap, 2 * found.rounding + slack, found.progress.paths)


def run(program: Program) -> tuple[int, ...]:
    return perform(program, kit(program.library))
