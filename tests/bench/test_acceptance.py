"""How far drafts were kept, counted by hand."""

import pytest

from draftproof.bench.acceptance import Acceptance, Position
from draftproof.bench.coherence import DEEPEST
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


def test_a_deep_draft_is_counted_place_by_place_as_a_shallow_one_is():
    rounds = (*ROUNDS, Round(9, 4))
    for place, seen in enumerate(Acceptance(rounds, 15).positions, start=1):
        deep = [each.accepted for each in rounds if each.drafted >= place]
        assert seen == (place, len(deep), sum(kept >= place - 1 for kept in deep), sum(kept >= place for kept in deep))


def test_the_deepest_drafts_that_are_believed_are_counted_in_a_moment():
    seen = Acceptance((Round(DEEPEST, DEEPEST - 1),) * 1000, 1000 * DEEPEST)
    assert len(seen.positions) == DEEPEST
    assert seen.positions[-1] == Position(DEEPEST, 1000, 1000, 0)
