"""How the command line is run in tests: in this process, as `main` runs it."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from draftproof.catalogue import Entry
from draftproof.cli import main
from draftproof.proof.campaign import Check, Word
from draftproof.rules.rejection import rejection
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw
from draftproof.verify import Independent


class Run(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Command = Callable[..., Run]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    """`run("explain", "--json")` gives the exit code and both streams."""

    def command(*arguments: str) -> Run:
        code = main(arguments)
        return Run(code, *capsys.readouterr())

    return command


def wrong_fallback(target_probs: Array, draft: Draft) -> VerdictLaw:
    """Rejection with a fault: after a refusal it draws from the whole target."""

    def correction(kept: np.ndarray) -> Array:
        return target_probs[np.arange(len(kept)), kept]

    return VerdictLaw(rejection(target_probs, draft).kept, correction)


WRONG = Entry("wrong", Independent(wrong_fallback), "target", "as rejection", "a planted fault")

FEW = ("--pairs", "3", "--loop-pairs", "1", "--length", "2", "--no-progress")
"""Options that make a proof short."""


def check(word: Word = Word.PASS, *, rule: str = "rejection", distance: Fraction = Fraction(0)) -> Check:
    """A check that has been made."""
    return Check(rule, "one round", word, distance, 7, 0.5, "what was covered")
