"""Token-level rejection: keep with min(1, p / q), else draw from the residual; on average over q it is p."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.carriers import pick_row
from draftproof.errors import Unsupported
from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import round_law
from draftproof.rules.bounds import overlap
from draftproof.rules.rejection import rejection
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft, VerdictLaw

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


def one_round(target, draft, width=1):
    return round_law(rejection, [constant_pair(target, draft)], Tree.chain(width))


class TestThreeTokens:
    """The example of `draftproof explain`: p = (.2, .5, .3), q = (.5, .3, .2)."""

    P, Q = row(20, 50, 30), row(50, 30, 20)

    @pytest.fixture
    def laws(self, drafted):
        """One batch entry for each token that may be drafted."""
        return rejection(np.array([[self.P] * 2] * 3, object), drafted(np.array([[self.Q]] * 3, object), [[0], [1], [2]]))

    def test_each_is_kept_as_often_as_both_laws_have_it(self, laws):
        kept = [q * kept for q, kept in zip(self.Q, laws.kept[:, 1], strict=True)]
        assert kept == [Fraction(1, 5), Fraction(3, 10), Fraction(1, 5)]

    def test_the_residual_is_where_the_target_has_more(self, laws):
        assert laws.correction(np.array([0, 0, 0])).tolist() == [[0, Fraction(2, 3), THIRD]] * 3

    def test_what_is_emitted_follows_the_target(self):
        assert tuple(one_round(self.P, self.Q).observed[0].sum(-1)) == self.P

    def test_falling_back_to_the_whole_target_would_not(self):
        def wrong(target_probs, draft):
            return VerdictLaw(rejection(target_probs, draft).kept, lambda kept: pick_row(target_probs, kept))

        found = round_law(wrong, [constant_pair(self.P, self.Q)], Tree.chain(1))
        assert tuple(found.observed[0].sum(-1)) == (Fraction(13, 50), Fraction(9, 20), Fraction(29, 100))


class TestKept:
    @pytest.mark.parametrize(("width", "tokens"), [(1, "0.7"), (2, "1.19"), (3, "1.533"), (4, "1.7731")])
    def test_tokens_of_a_chain(self, width, tokens):
        found = one_round(P, Q, width)
        assert found.accepted[0] == Fraction(tokens)
        assert not found.distances.any()

    def test_of_a_single_token_is_the_overlap(self):
        tables = pairs(100, 4, seed=1)
        found = round_law(rejection, tables, Tree.chain(1))
        rows = [np.stack([pair[side].table[0, 0] for pair in tables]) for side in (0, 1)]
        assert found.accepted.tolist() == overlap(*rows).tolist()

    def test_ends_at_the_first_refusal(self, carrier, drafted):
        target = carrier.array([[[QUARTER, 3 * QUARTER], [HALF, HALF], [1, 0]]])
        law = rejection(target, drafted(carrier.array([[[HALF, HALF], [HALF, HALF]]]), [[0, 1]]))
        assert carrier.same(law.kept, [[HALF, 0, HALF]])


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = rejection(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    def test_rows_of_one_batch_may_draft_different_numbers_of_tokens(self, carrier, drafted):
        p, q, blank = [QUARTER, 3 * QUARTER], [HALF, HALF], [0, 0]
        draft = drafted(carrier.array([[q, q], [q, blank], [blank, blank]]), [[0, 1], [0, 0], [0, 0]])
        assert draft.tokens.tolist() == [[0, 1], [0, NOTHING], [NOTHING, NOTHING]]
        law = rejection(carrier.array([[p, p, p], [p, p, blank], [p, blank, blank]]), draft)
        assert carrier.same(law.kept, [[HALF, 0, HALF], [HALF, HALF, 0], [1, 0, 0]])
        assert carrier.same(law.correction(np.array([0, 0, 0])), [[0, 1], [0, 1], p])
        assert carrier.same(law.correction(np.array([2, 1, 0])), [p, p, p])

    @pytest.mark.parametrize("law", [[QUARTER, HALF, QUARTER], [0, 1, 0], [HALF, HALF, 0]], ids=["all", "one hot", "zeros"])
    def test_equal_laws_keep_every_token_for_sure(self, carrier, drafted, law):
        token = max(range(3), key=law.__getitem__)
        verdict = rejection(carrier.array([[law] * 3]), drafted(carrier.array([[law] * 2]), [[token, token]]))
        assert carrier.same(verdict.kept, [[0, 0, 1]])

    def test_the_residual_of_equal_laws_never_comes_and_reads_as_the_target(self, carrier, drafted):
        law = [QUARTER, HALF, QUARTER]
        verdict = rejection(carrier.array([[law] * 2]), drafted(carrier.array([[law]]), [[1]]))
        assert carrier.same(verdict.correction(np.array([0])), [law])

    def test_a_token_that_the_target_never_emits_is_refused_for_sure(self, carrier, drafted):
        verdict = rejection(carrier.array([[[0, 1]] * 2]), drafted(carrier.array([[[HALF, HALF]]]), [[0]]))
        assert carrier.same(verdict.kept, [[1, 0]])
        assert carrier.same(verdict.correction(np.array([0])), [[0, 1]])

    def test_a_target_that_its_rounding_leaves_nowhere_above_the_draft_is_its_own_residual(self, drafted):
        """Rows of floats may miss 1; then a refusal is possible, and what follows it is the target's row."""
        p, q = [0.5, 0.5 - 2.0**-20], [0.5, 0.5]
        law = rejection(np.array([[p, q]]), drafted(np.array([[q]]), [[1]]))
        assert law.kept.tolist() == [[2.0**-19, 1 - 2.0**-19]]
        assert law.correction(np.array([0])).tolist() == [p]

    def test_disjoint_laws_keep_nothing_and_emit_the_target(self):
        found = one_round(row(50, 50, 0, 0), row(0, 0, 25, 75), width=2)
        assert found.accepted[0] == 0
        assert not found.distances.any()

    def test_a_fixed_draft_is_kept_with_the_probability_of_its_token(self, carrier):
        law = rejection(carrier.array([[[QUARTER, HALF, QUARTER]] * 2]), Draft.fixed([[0]], vocab=3))
        assert carrier.same(law.kept, [[3 * QUARTER, QUARTER]])
        assert carrier.same(law.correction(np.array([0])), [[0, 2 * THIRD, THIRD]])


def test_a_tree_is_refused_with_rules_that_would_do():
    with pytest.raises(Unsupported, match=r"^rejection verifies a chain, .*; use recursive, traversal or match$"):
        rejection(np.array([[P] * 3], object), Draft.fixed([[0, 1]], vocab=3, tree=Tree((0, 0))))
