"""How far drafts were kept, counted by hand."""

import pytest

from draftproof.bench.acceptance import Acceptance, Position
from draftproof.bench.contender import Round

ROUNDS = (Round(0, 0), Round(3, 3), Round(3, 1), Round(3, 0), Round(1, 1))
SEEN = Acceptance(ROUNDS, tokens=10)


def test_each_position_counts_the_drafts_that_had_it_and_those_that_reached_it():
    assert SEEN.positions == (Position(1, 4, 4, 3), Position(2, 3, 2, 1), Position(3, 3, 1, 1))
    first, second, third = SEEN.positions
    assert (first.survival, second.survival, third.survival) == (3 / 4, 1 / 3, 1 / 3)
    assert (first.given, second.given, third.given) == (3 / 4, 1 / 2, 1)


def test_a_position_that_was_never_reached_has_no_share_given_those_before():
    assert Acceptance((Round(2, 0),), 1).positions[1].given is None


def test_means_are_over_all_rounds():
    assert SEEN.width == 10 / 5
    assert SEEN.drafting == 4 / 5
    assert SEEN.block_efficiency == 10 / 5


def test_the_one_share_of_the_formula_is_of_judged_tokens():
    assert (SEEN.drafted, SEEN.accepted) == (10, 5)
    assert SEEN.share == 5 / 7, "two rounds refused a token; what was drafted after it was never judged"


@pytest.mark.parametrize("rounds", [(), (Round(0, 0),)])
def test_without_a_draft_everything_is_nothing(rounds):
    seen = Acceptance(rounds, len(rounds))
    assert (seen.share, seen.width, seen.drafting, seen.positions) == (0, 0, 0, ())
