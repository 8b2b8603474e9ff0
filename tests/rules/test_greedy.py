"""Greedy decoding: keep the draft while it is the target's likeliest token, ties to the lowest id."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from draftproof.errors import NotExact
from draftproof.proof import assert_exact
from draftproof.proof.fixtures import pairs
from draftproof.proof.rule import fixed_round_law, round_law
from draftproof.rules.greedy import greedy, greedy_law
from draftproof.rules.match import match
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft

HALF, QUARTER, THIRD = Fraction(1, 2), Fraction(1, 4), Fraction(1, 3)
FOLLOWED = lambda p, q: greedy_law(p)  # noqa: E731


class TestGreedyLaw:
    @pytest.mark.parametrize(
        ("law", "best"),
        [
            ([QUARTER, HALF, QUARTER], 1),
            ([THIRD, THIRD, THIRD], 0),
            ([QUARTER, 3 * QUARTER / 2, 3 * QUARTER / 2], 1),
            ([0, HALF, HALF], 1),
            ([0, 0, 1], 2),
        ],
        ids=["one best", "all equal", "two equal", "after a zero", "one hot"],
    )
    def test_is_the_point_mass_at_the_likeliest_token_of_lowest_id(self, carrier, law, best):
        assert carrier.same(greedy_law(carrier.array([[law], [law]])), [[[int(token == best) for token in range(3)]]] * 2)

    @pytest.mark.parametrize("array", [np.array, torch.tensor])
    @pytest.mark.parametrize("best", [(0, 31_999), (7, 8), (15_000, 15_016), (31_998, 31_999)])
    def test_breaks_ties_to_the_lowest_id_in_long_rows_too(self, array, best):
        row = np.full(32_000, 1 / 64_000)
        row[list(best)] += 0.25
        for law in (array(row), array(row.astype(np.float32))):
            assert greedy_law(law[None]).argmax(-1).tolist() == [best[0]]


class TestIsMatchAgainstThePointMass:
    def test_as_a_law(self, identical):
        found = round_law(
            identical(greedy, lambda p, draft: match(greedy_law(p), draft)), pairs(25, 3, seed=1), Tree((0, 0, 1)), follows=FOLLOWED
        )
        assert not found.vacuous
        assert not found.distances.any()

    def test_given_every_draft_there_is(self):
        found = fixed_round_law(greedy, pairs(25, 3, seed=2), Tree.chain(2), follows=FOLLOWED)
        assert not found.vacuous
        assert not found.distances.any()

    def test_and_not_exact_for_the_target_itself(self):
        with pytest.raises(NotExact, match="greedy is not exact"):
            assert_exact(greedy)


class TestEdges:
    def test_the_draft_is_kept_up_to_the_first_token_that_is_not_the_best(self, carrier):
        first, second, third = [QUARTER, 3 * QUARTER], [3 * QUARTER, QUARTER], [QUARTER, 3 * QUARTER]
        law = greedy(carrier.array([[first, second, third]] * 3), Draft.fixed([[1, 0], [1, 1], [0, 0]], vocab=2))
        assert carrier.same(law.kept, [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
        assert carrier.same(law.correction(np.array([2, 1, 0])), [[0, 1], [1, 0], [0, 1]])

    def test_of_two_equally_likely_tokens_only_the_lower_is_kept(self, carrier):
        law = greedy(carrier.array([[[HALF, HALF]] * 2] * 2), Draft.fixed([[0], [1]], vocab=2))
        assert carrier.same(law.kept, [[0, 1], [1, 0]])
        assert carrier.same(law.correction(np.array([1, 0])), [[1, 0], [1, 0]])

    def test_any_child_may_hold_the_best(self, carrier):
        p = [QUARTER, HALF, QUARTER]
        law = greedy(carrier.array([[p] * 3]), Draft.fixed([[0, 1]], vocab=3, tree=Tree((0, 0))))
        assert carrier.same(law.kept, [[0, 0, 1]])

    def test_a_draft_of_nothing_leaves_the_best(self, carrier):
        law = greedy(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[0, 1]])

    def test_rows_of_one_batch_may_draft_different_numbers_of_tokens(self, carrier):
        p, blank = [QUARTER, 3 * QUARTER], [0, 0]
        draft = Draft.fixed([[1, 1], [1], []], vocab=2)
        assert (draft.tokens == NOTHING).sum() == 3
        law = greedy(carrier.array([[p, p, p], [p, p, blank], [p, blank, blank]]), draft)
        assert carrier.same(law.kept, [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
        assert carrier.same(law.correction(np.array([2, 1, 0])), [[0, 1]] * 3)
