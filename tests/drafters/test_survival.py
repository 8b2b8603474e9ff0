"""What is believed of proposals: as far as they were scored, older ones less, and nothing that was too great a surprise."""

from itertools import pairwise
from math import isclose

import pytest

from draftproof.drafters.survival import FADE, PRIOR, SURPRISE, UNKNOWN, Record, Run, Survival


def scored(*lengths, width=4):
    """A survival after proposals of `width` tokens of which the first so many agreed; none of them faded."""
    survival = Survival()
    for length in lengths:
        for depth in range(min(length + 1, width)):
            survival.score(depth, depth < length)
    return survival


class TestTheCurve:
    def test_before_anything_was_scored_halves_with_every_token(self):
        assert Survival().curve(3) == [0.5, 0.25, 0.125]
        assert Survival().curve(0) == []

    def test_is_the_product_of_the_shares_that_agreed_each_with_some_votes_for_the_depth_above(self):
        first = (3 + PRIOR * UNKNOWN) / (4 + PRIOR)
        second = (2 + PRIOR * first) / (3 + PRIOR)
        third = (1 + PRIOR * second) / (2 + PRIOR)
        assert scored(3, 2, 1, 0, width=3).curve(3) == pytest.approx([first, first * second, first * second * third])

    def test_falls_and_stays_above_0(self):
        for survival in (scored(0, 0, 0), scored(4, 4, 4), scored(1, 0, 2)):
            curve = survival.curve(6)
            assert all(0 < after <= before <= 1 for before, after in pairwise(curve))

    def test_approaches_what_is_seen_again_and_again(self):
        survival = Survival()
        for place in range(400):
            survival.fade()
            survival.score(0, True)
            survival.score(1, place % 2 == 0)
        first, second = survival.curve(2)
        assert 0.95 < first < 1
        assert 0.4 < second < 0.6

    def test_a_depth_that_was_never_reached_is_like_the_one_above(self):
        curve = scored(*[1] * 9, width=1).curve(3)
        assert isclose(curve[1] / curve[0], curve[0])

    def test_older_proposals_count_less(self):
        old, new = scored(0, width=1), scored(1, width=1)
        old.fade()
        new.fade()
        old.score(0, True)
        new.score(0, False)
        assert old.curve(1) > new.curve(1)
        assert old.tried == [1 + FADE]


class TestSurprise:
    def test_a_run_is_as_likely_as_an_urn_says(self):
        run = Run(agreed=False, like=1.0, tried=3.0)
        run.grow()
        run.grow()
        assert isclose(run.likelihood, 1 / 3 * 2 / 4)

    @pytest.mark.parametrize(("share", "given_up"), [(0.95, 4), (0.5, 14)])
    def test_gives_up_what_was_believed_after_a_run_that_was_improbable(self, share, given_up):
        run = Run(agreed=False, like=20 * (1 - share) + UNKNOWN, tried=21)
        while run.likelihood >= SURPRISE:
            run.grow()
        assert run.length == given_up

    def test_only_the_run_itself_is_still_believed(self):
        survival = scored(*[4] * 20)
        for _ in range(2):
            survival.score(0, False)
        assert survival.curve(1)[0] > 0.8
        survival.score(0, False)
        assert (survival.tried, survival.kept) == ([3.0], [0.0])
        assert survival.curve(1) == [PRIOR * UNKNOWN / (3 + PRIOR)]

    def test_works_both_ways(self):
        survival = scored(*[0] * 20)
        for _ in range(4):
            survival.score(0, True)
        assert survival.curve(1)[0] > 0.8

    def test_a_token_that_breaks_the_run_ends_it(self):
        survival = scored(*[4] * 20)
        for _ in range(3):
            for _ in range(2):
                survival.score(0, False)
            survival.score(0, True)
        assert len(survival.tried) == 4, "the deeper counts were not dropped"

    def test_a_proposal_older_than_the_surprise_may_still_be_scored_at_its_depth(self):
        survival = scored(*[4] * 20)
        for _ in range(3):
            survival.score(0, False)
        survival.score(3, True)
        assert survival.tried == [3.0, 0.0, 0.0, 1.0]


def test_a_longer_match_is_believed_more_before_anything_was_scored():
    record = Record()
    first = [record.survival[0, support].curve(1)[0] for support in (0, 1, 2, 3, 4, 99)]
    assert first == [0.5, 0.3, 0.5, 0.7, 0.8, 0.5]


class TestTheRecord:
    def test_scores_a_proposal_as_the_text_goes_on_whoever_drafted_it(self):
        record = Record()
        record.read((7, 8))
        proposal = record.add((0, 1), (1, 2, 3))
        record.read((7, 8, 1))
        assert (proposal.agreed, record.open) == (1, [proposal])
        record.read((7, 8, 1, 2, 9))
        assert (proposal.agreed, record.open) == (2, [])
        assert (record.survival[(0, 1)].tried, record.survival[(0, 1)].kept) == ([1, 1, 1], [1, 1, 0])

    def test_keeps_kinds_and_rounds_apart(self):
        record = Record()
        record.read((7,))
        first = record.add((0, 1), (1, 1))
        record.add((1, 1), (2,))
        record.read((7, 1))
        second = record.add((0, 1), (1,))
        record.read((7, 1, 1))
        assert (first.agreed, second.agreed, record.open) == (2, 1, [])
        assert record.survival[1, 1].kept == [0]
        assert record.survival[0, 1].kept == [FADE * 1 + 1, 1], "the first fades when the second is made"

    def test_a_text_that_is_another_scores_nothing(self):
        record = Record()
        record.read((7, 8))
        record.add((0, 1), (1,))
        record.read((7, 1))
        assert record.open == []
        assert record.survival[(0, 1)].tried == [0]

    def test_a_proposal_of_no_tokens_is_not_waited_for(self):
        record = Record()
        record.add((0, 1), ())
        assert record.open == []
