"""An independent run tells a right law from a wrong one."""

from fractions import Fraction

import pytest
import torch

from draftproof.errors import BadRequest
from draftproof.proof.generation.montecarlo import ALPHA, MOST, confirm, p_value, samples_needed

RIGHT = {(0,): Fraction(1, 2), (1,): Fraction(1, 4), (2,): Fraction(1, 4)}
WRONG = {(0,): Fraction(4, 10), (1,): Fraction(3, 10), (2,): Fraction(3, 10)}


def program() -> tuple[int, ...]:
    return (int(torch.multinomial(torch.tensor([0.5, 0.25, 0.25]), 1)),)


def test_a_planted_wrong_law_is_rejected_and_the_right_one_is_not() -> None:
    counts = confirm(program, RIGHT, WRONG, differ=True)
    assert counts.p_observed > ALPHA > counts.p_expected
    assert counts.agrees(differ=True)
    assert not counts.agrees(differ=False)


def test_a_wrong_verdict_is_contradicted() -> None:
    assert not confirm(program, WRONG, RIGHT, differ=True).agrees(differ=True)
    assert not confirm(program, WRONG, WRONG, differ=False).agrees(differ=False)
    assert confirm(program, RIGHT, RIGHT, differ=False).agrees(differ=False)


def test_something_that_cannot_occur_rejects_by_itself() -> None:
    assert p_value({(0,): 5, (3,): 1}, RIGHT) == 0


def test_closer_laws_need_more_samples_and_too_close_ones_are_refused() -> None:
    near = {(0,): Fraction(49, 100), (1,): Fraction(26, 100), (2,): Fraction(25, 100)}
    assert samples_needed(RIGHT, WRONG) < MOST < samples_needed(RIGHT, near)
    with pytest.raises(BadRequest, match="too close"):
        confirm(program, RIGHT, near, differ=True)
