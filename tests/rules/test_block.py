"""Block verification: the longest prefix that passes is kept, never fewer tokens than rejection keeps."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.errors import Unsupported
from draftproof.models.table import KINDS
from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import fixed_round_law, round_law
from draftproof.rules.block import block
from draftproof.rules.bounds import chain_ceiling
from draftproof.rules.rejection import rejection
from draftproof.tree import Tree
from draftproof.types import Draft

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


def one_round(rule, target, draft, width):
    return round_law(rule, [constant_pair(target, draft)], Tree.chain(width))


class TestKept:
    @pytest.mark.parametrize(("width", "tokens"), [(1, "7/10"), (2, "5/4"), (3, "43/25"), (4, "2.1141")])
    def test_tokens_of_a_chain(self, width, tokens):
        found = one_round(block, P, Q, width)
        assert found.accepted[0] == Fraction(tokens)
        assert not found.distances.any()

    def test_in_the_binary_example_of_its_authors(self):
        target, draft = (THIRD, 2 * THIRD), (2 * THIRD, THIRD)
        assert one_round(rejection, target, draft, 2).accepted[0] == Fraction(10, 9)
        assert one_round(block, target, draft, 2).accepted[0] == Fraction(11, 9)
        assert chain_ceiling(lambda text: target, lambda text: draft, 2, 2) == Fraction(12, 9)

    @pytest.mark.parametrize(("vocab", "width"), [(2, 2), (2, 4), (3, 2), (3, 3)])
    def test_is_never_less_than_rejection_keeps_and_sometimes_more(self, vocab, width):
        tables = pairs(60, vocab, seed=vocab + width)
        kept, plain = (round_law(rule, tables, Tree.chain(width)).accepted for rule in (block, rejection))
        assert (kept >= plain).all()
        assert (kept > plain).any()

    def test_of_a_single_token_is_decided_as_by_rejection(self, identical):
        assert not round_law(identical(block, rejection), pairs(60, 4, seed=1), Tree.chain(1)).vacuous

    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_of_a_fixed_draft_is_decided_as_by_rejection(self, identical, width):
        found = fixed_round_law(identical(block, rejection), pairs(12, 3, seed=2), Tree.chain(width))
        assert not found.vacuous
        assert not found.distances.any()


class TestALaterTokenRescuesAnEarlierOne:
    """p = (1/4, 3/4) and (1, 0), q even: token 0 weighs 1/2, and after it token 0 again weighs 1/2 * 2 = 1."""

    TARGET = [[QUARTER, 3 * QUARTER], [1, 0], [HALF, HALF]]

    def test_kept_for_sure(self, carrier, drafted):
        law = block(carrier.array([self.TARGET]), drafted(carrier.array([[[HALF, HALF]] * 2]), [[0, 0]]))
        assert carrier.same(law.kept, [[0, 0, 1]])

    def test_where_rejection_may_refuse_the_first(self, carrier, drafted):
        law = rejection(carrier.array([self.TARGET]), drafted(carrier.array([[[HALF, HALF]] * 2]), [[0, 0]]))
        assert carrier.same(law.kept, [[HALF, 0, HALF]])

    def test_and_a_worse_one_drags_it_down(self, carrier, drafted):
        law = block(carrier.array([self.TARGET]), drafted(carrier.array([[[HALF, HALF]] * 2]), [[0, 1]]))
        # Nothing is in excess after one token, so a refusal of the second falls back to the start.
        assert carrier.same(law.kept, [[1, 0, 0]])
        assert carrier.same(law.correction(np.array([0])), [[0, 1]])


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = block(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    def test_rows_of_one_batch_may_draft_different_numbers_of_tokens(self, carrier, drafted):
        p, q, blank = [QUARTER, 3 * QUARTER], [HALF, HALF], [0, 0]
        draft = drafted(carrier.array([[q, q], [q, blank], [blank, blank]]), [[1, 1], [0, 0], [0, 0]])
        law = block(carrier.array([[p, p, p], [p, p, blank], [p, blank, blank]]), draft)
        assert carrier.same(law.kept, [[0, 0, 1], [HALF, HALF, 0], [1, 0, 0]])
        assert carrier.same(law.correction(np.array([2, 1, 0])), [p, p, p])

    @pytest.mark.parametrize("law", [[QUARTER, HALF, QUARTER], [0, 1, 0], [HALF, HALF, 0]], ids=["all", "one hot", "zeros"])
    def test_equal_laws_keep_every_token_for_sure(self, carrier, drafted, law):
        token = max(range(3), key=law.__getitem__)
        verdict = block(carrier.array([[law] * 3]), drafted(carrier.array([[law] * 2]), [[token, token]]))
        assert carrier.same(verdict.kept, [[0, 0, 1]])

    def test_a_token_that_the_target_never_emits_ends_every_prefix_through_it(self, carrier, drafted):
        law = block(carrier.array([[[0, 1], [HALF, HALF], [HALF, HALF]]]), drafted(carrier.array([[[HALF, HALF]] * 2]), [[0, 0]]))
        assert carrier.same(law.kept, [[1, 0, 0]])
        assert carrier.same(law.correction(np.array([0])), [[0, 1]])

    def test_a_target_that_its_rounding_leaves_nowhere_above_the_draft_is_its_own_residual(self, drafted):
        """Rows of floats may miss 1; then a refusal is possible, and what follows it is the target's row."""
        p, q = [0.5, 0.5 - 2.0**-20], [0.5, 0.5]
        law = block(np.array([[p, q]]), drafted(np.array([[q]]), [[1]]))
        assert law.kept.tolist() == [[2.0**-19, 1 - 2.0**-19]]
        assert law.correction(np.array([0])).tolist() == [p]

    def test_disjoint_laws_keep_nothing_and_emit_the_target(self):
        found = one_round(block, row(50, 50, 0, 0), row(0, 0, 25, 75), width=2)
        assert found.accepted[0] == 0
        assert not found.distances.any()

    def test_are_all_met_by_random_tables(self):
        assert {"zeros", "ties", "one_hot", "disjoint", "equal"} < set(KINDS)
        assert not round_law(block, pairs(60, 4, seed=3), Tree.chain(2)).distances.any()


def test_a_tree_is_refused_with_rules_that_would_do():
    with pytest.raises(Unsupported, match=r"^block verifies a chain, .*; use recursive, traversal or match$"):
        block(np.array([[P] * 3], object), Draft.fixed([[0, 1]], vocab=3, tree=Tree((0, 0))))
