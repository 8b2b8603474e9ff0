"""The one-hot rule: treat each token as chosen, keep it with p(x), else draw from p without it. Exact for any draft."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import fixed_round_law, round_law
from draftproof.rules.match import match
from draftproof.rules.point_mass import point_mass
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""

SHAPES = [Tree.chain(2), Tree((0, 0)), Tree((0, 0), Siblings.INDEPENDENT), Tree((0, 0, 1)), Tree((0, 1, 1), Siblings.TOP_PLUS_ONE)]


class TestKept:
    def test_of_a_sampled_token_is_how_often_two_samples_agree(self):
        assert round_law(point_mass, [constant_pair(P, Q)], Tree.chain(1)).accepted[0] == Fraction("0.31")

    def test_of_a_fixed_token_is_its_probability(self):
        assert fixed_round_law(point_mass, [constant_pair(P, Q)], Tree.chain(1)).accepted.tolist() == list(P)

    def test_of_a_fixed_chain_is_the_probability_of_each_prefix(self):
        kept = fixed_round_law(point_mass, [constant_pair(P, Q)], Tree.chain(2)).accepted.reshape(3, 3)
        assert (kept == [[x + x * y for y in P] for x in P]).all()


class TestIsTheSameLawAsMatch:
    @pytest.mark.parametrize("tree", SHAPES, ids=lambda tree: str(tree.parents))
    def test_on_drafts_that_are_drawn(self, identical, tree):
        found = round_law(identical(point_mass, match), pairs(25, 3, seed=1), tree)
        assert not found.vacuous
        assert not found.distances.any()

    @pytest.mark.parametrize("tree", SHAPES, ids=lambda tree: str(tree.parents))
    def test_on_drafts_that_are_chosen_duplicates_among_them(self, identical, tree):
        found = fixed_round_law(identical(point_mass, match), pairs(15, 3, seed=2), tree)
        assert not found.vacuous
        assert not found.distances.any()


class TestTheLawOfTheDraft:
    def test_is_not_looked_at(self, settled, drafted):
        target = np.array([[P, P, Q]], object)
        one, other = (drafted(np.array([[law, law]], object), [[0, 1]]) for law in (P, Q))
        assert settled(point_mass(target, one)) == settled(point_mass(target, other)) == settled(point_mass(target, one.as_fixed()))


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = point_mass(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    def test_a_certain_token_is_kept_for_sure_and_an_impossible_one_never(self, carrier):
        law = point_mass(carrier.array([[[0, 1], [HALF, HALF]]] * 2), Draft.fixed([[1], [0]], vocab=2))
        assert carrier.same(law.kept, [[0, 1], [1, 0]])
        assert carrier.same(law.correction(np.array([1, 0])), [[HALF, HALF], [0, 1]])

    def test_rows_of_one_batch_may_draft_different_numbers_of_tokens(self, carrier):
        p, blank = [QUARTER, 3 * QUARTER], [0, 0]
        law = point_mass(carrier.array([[p, p, p], [p, p, blank], [p, blank, blank]]), Draft.fixed([[0, 0], [1], []], vocab=2))
        assert carrier.same(law.kept, [[3 * QUARTER, 3 * QUARTER / 4, QUARTER / 4], [QUARTER, 3 * QUARTER, 0], [1, 0, 0]])
        assert carrier.same(law.correction(np.array([1, 0, 0])), [[0, 1], [1, 0], p])

    def test_a_duplicate_sibling_is_refused_for_sure(self, carrier):
        p = [HALF, QUARTER, QUARTER]
        law = point_mass(carrier.array([[p] * 4]), Draft.fixed([[0, 0, 1]], vocab=3, tree=Tree((0, 0, 0))))
        assert carrier.same(law.kept, [[QUARTER, HALF, 0, QUARTER]])
        assert carrier.same(law.correction(np.array([0])), [[0, 0, 1]])

    def test_children_that_use_up_the_target_leave_no_refusal(self, carrier):
        law = point_mass(carrier.array([[[HALF, HALF, 0]] * 4]), Draft.fixed([[0, 1, 2]], vocab=3, tree=Tree((0, 0, 0))))
        assert carrier.same(law.kept, [[0, HALF, HALF, 0]])

    def test_an_absent_sibling_changes_nothing(self, carrier):
        p = carrier.array([[[HALF, QUARTER, QUARTER]] * 3])
        law = point_mass(p, Draft.fixed([[NOTHING, 1]], vocab=3, tree=Tree((0, 0))))
        assert carrier.same(law.kept, [[3 * QUARTER, 0, QUARTER]])
        assert carrier.same(law.correction(np.array([0])), [[2 * THIRD, 0, THIRD]])
