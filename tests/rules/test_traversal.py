"""Traversal verification: block verification on a tree, from the leaves to the root."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.models.table import TableModel
from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import fixed_round_law, round_law
from draftproof.rules.block import block
from draftproof.rules.match import match
from draftproof.rules.recursive import recursive
from draftproof.rules.traversal import postorder, traversal
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


class TestOnAChain:
    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_is_block_verification(self, identical, width):
        assert not round_law(identical(traversal, block), pairs(30, 3, seed=width), Tree.chain(width)).vacuous

    @pytest.mark.parametrize(("width", "tokens"), [(1, "7/10"), (2, "5/4"), (3, "43/25")])
    def test_keeps_as_many_tokens(self, width, tokens):
        assert round_law(traversal, [constant_pair(P, Q)], Tree.chain(width)).accepted[0] == Fraction(tokens)


class TestOnANodeWithLeavesOnly:
    @pytest.mark.parametrize("siblings", Siblings)
    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_is_recursive_rejection(self, identical, siblings, count):
        assert not round_law(identical(traversal, recursive), pairs(30, 3, seed=count), Tree((0,) * count, siblings)).vacuous

    def test_keeps_as_many_tokens(self):
        assert round_law(traversal, [constant_pair(P, Q)], Tree((0, 0))).accepted[0] == Fraction(283, 350)


class TestOnADeeperTree:
    @pytest.mark.parametrize("tree", [Tree((0, 0, 1)), Tree.branching(1, 2), Tree.branching(2, 1)], ids=lambda tree: str(tree.parents))
    def test_keeps_more_tokens_than_recursive_rejection_on_most_tables(self, tree):
        tables = pairs(20, 3, seed=7)
        kept, plain = (round_law(rule, tables, tree) for rule in (traversal, recursive))
        assert not kept.distances.any()
        assert kept.accepted.sum() > plain.accepted.sum()

    def test_may_keep_fewer_tokens_than_recursive_rejection(self):
        """Both are exact. The first drafted token is sure; below it target and draft are far apart."""
        target, draft = (np.array([[Fraction(1, 4)] * 4] * 16, dtype=object).reshape(4, 4, 4) for _ in range(2))
        target[0, 0], draft[0, 0] = row(0, 75, 25, 0), row(0, 100, 0, 0)
        target[0, 1], draft[0, 1] = row(10, 40, 0, 50), row(10, 0, 80, 10)
        kept, plain = (round_law(rule, [(TableModel(target), TableModel(draft))], Tree((0, 1, 1))) for rule in (traversal, recursive))
        assert not kept.distances.any()
        assert not plain.distances.any()
        assert (kept.accepted[0], plain.accepted[0]) == (Fraction(43, 36), Fraction(6, 5))

    @pytest.mark.parametrize("tree", [Tree((0, 0, 1)), Tree.branching(1, 2)], ids=lambda tree: str(tree.parents))
    def test_gains_nothing_on_a_fixed_one(self, tree):
        tables = pairs(8, 3, seed=8)
        kept, plain = (fixed_round_law(rule, tables, tree) for rule in (traversal, match))
        assert not kept.distances.any()
        assert (kept.accepted == plain.accepted).all()

    def test_lets_a_child_rescue_its_parent_before_the_parents_sibling_is_asked(self, carrier, drafted):
        p, after, q = [QUARTER, 3 * QUARTER], [1, 0], [HALF, HALF]
        draft = drafted(carrier.array([[q] * 4]), [[0, 1, 0]], Tree((0, 0, 1)))
        law = traversal(carrier.array([[p, after, p, p]]), draft)
        # Node 1 weighs 1/2, and node 3 below it 1/2 * 2 = 1: it is kept for sure.
        assert carrier.same(law.kept, [[0, 0, 0, 1]])
        assert not carrier.same(recursive(carrier.array([[p, after, p, p]]), draft).kept, [[0, 0, 0, 1]])


class TestPostorder:
    def test_puts_every_node_after_all_that_hangs_from_it(self):
        assert postorder(Tree((0, 0, 1, 1, 2))) == (3, 4, 1, 5, 2, 0)
        assert postorder(Tree.chain(3)) == (3, 2, 1, 0)
        assert postorder(Tree.chain(0)) == (0,)


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = traversal(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    @pytest.mark.parametrize("law", [[QUARTER, HALF, QUARTER], [0, 1, 0], [HALF, HALF, 0]], ids=["all", "one hot", "zeros"])
    def test_equal_laws_keep_the_first_path_for_sure(self, carrier, drafted, law):
        first = max(range(3), key=law.__getitem__)
        other = next((token for token in range(3) if law[token] and token != first), first)
        verdict = traversal(carrier.array([[law] * 4]), drafted(carrier.array([[law] * 4]), [[first, other, first]], Tree((0, 0, 1))))
        assert carrier.same(verdict.kept, [[0, 0, 0, 1]])

    def test_siblings_that_run_out_of_tokens_are_absent_and_change_nothing(self, carrier, drafted):
        p, q = [HALF, QUARTER, QUARTER], [QUARTER, 0, 3 * QUARTER]
        draft = drafted(carrier.array([[q] * 5]), [[2, 0, 1, 1]], Tree((0, 0, 0, 0)))
        assert draft.tokens.tolist() == [[2, 0, NOTHING, NOTHING]]
        law = traversal(carrier.array([[p] * 5]), draft)
        assert carrier.same(law.kept, [[THIRD, THIRD, THIRD, 0, 0]])
        assert carrier.same(law.correction(np.array([0])), [[0, 1, 0]])

    def test_a_target_that_its_rounding_leaves_nowhere_above_the_draft_is_its_own_residual(self, drafted):
        """Rows of floats may miss 1; then a refusal is possible, and what follows it is the target's row."""
        p, q = [0.5, 0.5 - 2.0**-20], [0.5, 0.5]
        law = traversal(np.array([[p, q]]), drafted(np.array([[q]]), [[1]]))
        assert law.kept.tolist() == [[2.0**-19, 1 - 2.0**-19]]
        assert law.correction(np.array([0])).tolist() == [p]

    def test_disjoint_laws_keep_nothing_and_emit_the_target(self):
        found = round_law(traversal, [constant_pair(row(50, 50, 0, 0), row(0, 0, 25, 75))], Tree((0, 0, 1)))
        assert found.accepted[0] == 0
        assert not found.distances.any()

    def test_rows_of_one_batch_may_lack_nodes(self, carrier, drafted):
        p, q, blank = [QUARTER, 3 * QUARTER], [HALF, HALF], [0, 0]
        laws = carrier.array([[q, q, q, blank], [q, blank, blank, blank], [blank] * 4])
        draft = drafted(laws, [[0, 1, 0], [0, 1, 0], [0, 0, 0]], Tree((0, 0, 1)))
        law = traversal(carrier.array([[p] * 4, [p, p, p, blank], [p, blank, blank, blank]]), draft)
        alone = traversal(carrier.array([[p] * 3]), drafted(carrier.array([[q] * 3]), [[0, 1]], Tree((0, 0))))
        assert carrier.same(law.kept[1:, :3], [alone.kept[0].tolist(), [1, 0, 0]])
        assert carrier.same(law.kept[1:, 3:], [[0], [0]])
        assert carrier.same(law.correction(np.array([0, 2, 0]))[1:], [p, p])
