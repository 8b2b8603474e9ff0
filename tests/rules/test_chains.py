"""A chain of K tokens is read as K + 1 slots; in the last, and in slots beyond a shorter row, nothing was drafted."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.errors import Unsupported
from draftproof.rules.chains import chain_laws, first_rejection, first_success
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
LAW = [HALF, QUARTER, QUARTER]
BLANK = [0, 0, 0]


class TestChainLaws:
    def test_add_a_slot_after_the_last_token_in_which_nothing_was_drafted(self, carrier, drafted):
        target = carrier.array([[LAW] * 3])
        laws, tokens = chain_laws(target, drafted(target, [[0, 2]]), rule="any")
        assert carrier.same(laws, [[LAW, LAW, BLANK]])
        assert tokens.tolist() == [[0, 2, NOTHING]]

    def test_of_a_shorter_row_have_more_such_slots(self, carrier, drafted):
        target = carrier.array([[LAW] * 3] * 3)
        laws, tokens = chain_laws(
            target, drafted(carrier.array([[LAW, LAW], [LAW, BLANK], [BLANK, LAW]]), [[0, 2], [1, 0], [0, 0]]), rule="any"
        )
        assert carrier.same(laws, [[LAW, LAW, BLANK], [LAW, BLANK, BLANK], [BLANK, BLANK, BLANK]])
        assert tokens.tolist() == [[0, 2, NOTHING], [1, NOTHING, NOTHING], [NOTHING] * 3]

    def test_of_a_fixed_draft_are_point_masses(self, carrier):
        laws, _ = chain_laws(carrier.array([[LAW] * 3]), Draft.fixed([[2, 0]], vocab=3), rule="any")
        assert carrier.same(laws, [[[0, 0, 1], [1, 0, 0], BLANK]])

    def test_of_an_empty_draft_are_the_one_slot_after_it(self, carrier):
        laws, tokens = chain_laws(carrier.array([[LAW], [LAW]]), Draft.none(2, vocab=3), rule="any")
        assert carrier.same(laws, [[BLANK], [BLANK]])
        assert tokens.tolist() == [[NOTHING], [NOTHING]]

    def test_of_a_draft_that_branches_are_refused_with_rules_that_would_do(self):
        draft = Draft.fixed([[0, 1, 2]], vocab=3, tree=Tree((0, 0, 1)))
        with pytest.raises(Unsupported) as refusal:
            chain_laws(np.full((1, 4, 3), Fraction(1, 3)), draft, rule="this one")
        assert str(refusal.value) == (
            "this one verifies a chain, and this draft branches (parents (0, 0, 1)); use recursive, traversal or match"
        )


class TestFirstSuccess:
    def test_is_the_chance_to_fail_before_and_succeed_here(self, carrier):
        law = first_success([carrier.array([chance]) for chance in (HALF, QUARTER, 1)])
        assert [carrier.same(part, [wanted]) for part, wanted in zip(law, (HALF, QUARTER / 2, 3 * QUARTER / 2), strict=True)] == [True] * 3

    @pytest.mark.parametrize("certain", [0, 1, 2])
    def test_never_passes_a_test_that_succeeds_for_sure(self, certain):
        law = first_success([np.array([Fraction(int(place == certain))], object) for place in range(3)])
        assert [part[0] for part in law] == [int(place == certain) for place in range(3)]


class TestFirstRejection:
    def test_is_the_law_of_how_many_are_kept(self, carrier):
        accept = carrier.array([[HALF, QUARTER, 0], [1, 1, 0], [0, 1, 0]])
        assert carrier.same(first_rejection(accept), [[HALF, 3 * QUARTER / 2, QUARTER / 2], [0, 0, 1], [1, 0, 0]])
