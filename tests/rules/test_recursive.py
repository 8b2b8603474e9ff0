"""Recursive rejection: the children of a node tested one after another, each against what its elders left."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import round_law
from draftproof.rules.bounds import transport_ceiling
from draftproof.rules.recursive import recursive
from draftproof.rules.rejection import rejection
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


def node(count, siblings=Siblings.DISTINCT):
    """A node with `count` leaves."""
    return Tree((0,) * count, siblings)


class TestKept:
    @pytest.mark.parametrize(
        ("siblings", "count", "kept", "to_six_digits"),
        [
            (Siblings.INDEPENDENT, 2, "19/25", 0.76),
            (Siblings.DISTINCT, 2, "283/350", 0.808571),
            (Siblings.INDEPENDENT, 3, "101/125", 0.808),
            (Siblings.DISTINCT, 3, "1", 1.0),
        ],
    )
    def test_of_several_children(self, siblings, count, kept, to_six_digits):
        found = round_law(recursive, [constant_pair(P, Q)], node(count, siblings))
        assert found.accepted[0] == Fraction(kept)
        assert round(float(found.accepted[0]), 6) == to_six_digits
        assert not found.distances.any()

    @pytest.mark.parametrize("siblings", [Siblings.INDEPENDENT, Siblings.DISTINCT])
    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_is_never_above_the_optimal_transport_and_reaches_it_with_one_child(self, siblings, count):
        tables = pairs(25, 4, seed=count)
        kept = round_law(recursive, tables, node(count, siblings)).accepted
        ceiling = [transport_ceiling(target.table[0, 0], draft.table[0, 0], count, siblings) for target, draft in tables]
        assert (kept <= ceiling).all()
        assert (kept == ceiling).all() if count == 1 else (kept < ceiling).any()

    def test_grows_with_every_child(self):
        kept = [round_law(recursive, [constant_pair(P, Q)], node(count, Siblings.INDEPENDENT)).accepted[0] for count in (1, 2, 3, 4)]
        assert kept == sorted(set(kept))


class TestOnAChain:
    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_is_rejection(self, identical, width):
        found = round_law(identical(recursive, rejection), pairs(40, 3, seed=width), Tree.chain(width))
        assert not found.vacuous


class TestTheChildren:
    def test_are_tested_in_the_order_in_which_they_were_drawn(self, carrier, drafted):
        p, q = [HALF, QUARTER, QUARTER], [QUARTER, HALF, QUARTER]
        law = recursive(carrier.array([[p] * 3]), drafted(carrier.array([[q, q, q]]), [[1, 2]], node(2)))
        # Token 1 is kept with 1/2; its residual is all at token 0, so token 2 is refused.
        assert carrier.same(law.kept, [[HALF, HALF, 0]])
        assert carrier.same(law.correction(np.array([0])), [[1, 0, 0]])

    def test_of_a_kept_child_are_verified_afresh(self, carrier, drafted):
        p, q = [QUARTER, 3 * QUARTER], [HALF, HALF]
        law = recursive(carrier.array([[p] * 4]), drafted(carrier.array([[q] * 4]), [[1, 0, 0]], Tree((0, 0, 1))))
        assert carrier.same(law.kept, [[0, HALF, 0, HALF]])
        assert carrier.same(law.correction(np.array([1])), [[0, 1]])

    def test_that_came_out_twice_are_separate_tries(self, carrier, drafted):
        p, q = [HALF, QUARTER, QUARTER], [0, HALF, HALF]
        tree = node(2, Siblings.INDEPENDENT)
        law = recursive(carrier.array([[p] * 3]), drafted(carrier.array([[q] * 3]), [[1, 1]], tree))
        # After one refusal everything is owed to token 0, so the second try at token 1 is hopeless.
        assert carrier.same(law.kept, [[HALF, HALF, 0]])

    def test_may_be_kept_at_the_second_try(self, carrier, drafted):
        p, q = [THIRD, 2 * THIRD, 0], [0, QUARTER, 3 * QUARTER]
        law = recursive(carrier.array([[p] * 3]), drafted(carrier.array([[q] * 3]), [[2, 1]], node(2)))
        # The residual of p and q is (4/9, 5/9, 0), and the second child is token 1 for sure.
        assert carrier.same(law.kept, [[Fraction(4, 9), 0, Fraction(5, 9)]])
        assert carrier.same(law.correction(np.array([0])), [[1, 0, 0]])


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = recursive(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    @pytest.mark.parametrize("siblings", [Siblings.INDEPENDENT, Siblings.DISTINCT])
    @pytest.mark.parametrize("law", [[QUARTER, HALF, QUARTER], [0, 1, 0], [HALF, HALF, 0]], ids=["all", "one hot", "zeros"])
    def test_equal_laws_keep_the_first_child_for_sure(self, carrier, drafted, law, siblings):
        first = max(range(3), key=law.__getitem__)
        other = next((token for token in range(3) if law[token] and token != first), first)
        verdict = recursive(carrier.array([[law] * 3]), drafted(carrier.array([[law] * 3]), [[first, other]], node(2, siblings)))
        assert carrier.same(verdict.kept, [[0, 1, 0]])

    def test_siblings_that_run_out_of_tokens_are_absent_and_change_nothing(self, carrier, drafted):
        p, q = [HALF, QUARTER, QUARTER], [QUARTER, 0, 3 * QUARTER]
        draft = drafted(carrier.array([[q] * 5]), [[2, 0, 1, 1]], node(4))
        assert draft.tokens.tolist() == [[2, 0, NOTHING, NOTHING]]
        law = recursive(carrier.array([[p] * 5]), draft)
        # Token 2 is kept with 1/3, and leaves (1/2, 1/2, 0) to token 0, which is the second child for sure.
        assert carrier.same(law.kept, [[THIRD, THIRD, THIRD, 0, 0]])
        assert carrier.same(law.correction(np.array([0])), [[0, 1, 0]])

    def test_a_target_that_its_rounding_leaves_nowhere_above_the_draft_is_its_own_residual(self, drafted):
        """Rows of floats may miss 1; then a refusal is possible, and what follows it is the target's row."""
        p, q = [0.5, 0.5 - 2.0**-20], [0.5, 0.5]
        law = recursive(np.array([[p, q]]), drafted(np.array([[q]]), [[1]]))
        assert law.kept.tolist() == [[2.0**-19, 1 - 2.0**-19]]
        assert law.correction(np.array([0])).tolist() == [p]

    def test_disjoint_laws_keep_nothing_and_emit_the_target(self):
        found = round_law(recursive, [constant_pair(row(50, 50, 0, 0), row(0, 0, 25, 75))], Tree((0, 0, 1)))
        assert found.accepted[0] == 0
        assert not found.distances.any()

    def test_rows_of_one_batch_may_lack_nodes(self, carrier, drafted):
        p, q, blank = [QUARTER, 3 * QUARTER], [HALF, HALF], [0, 0]
        laws = carrier.array([[q, q, q, blank], [q, blank, blank, blank], [blank] * 4])
        draft = drafted(laws, [[0, 1, 0], [0, 1, 0], [0, 0, 0]], Tree((0, 0, 1)))
        assert draft.tokens.tolist() == [[0, 1, 0], [0, 1, NOTHING], [NOTHING] * 3]
        law = recursive(carrier.array([[p] * 4, [p, p, p, blank], [p, blank, blank, blank]]), draft)
        assert carrier.same(law.kept, [[0, QUARTER, HALF, QUARTER], [0, HALF, HALF, 0], [1, 0, 0, 0]])
        assert carrier.same(law.correction(np.array([1, 1, 0])), [[0, 1], p, p])

    def test_a_fixed_set_is_kept_as_the_target_has_it(self, carrier):
        law = recursive(carrier.array([[[HALF, QUARTER, QUARTER]] * 3]), Draft.fixed([[1, 0]], vocab=3, tree=node(2)))
        assert carrier.same(law.kept, [[QUARTER, QUARTER, HALF]])
        assert carrier.same(law.correction(np.array([0])), [[0, 0, 1]])
