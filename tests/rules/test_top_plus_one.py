"""The n-1 likeliest tokens and one sample, the sample tested first: the most that this draft can be kept."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.carriers import stack
from draftproof.errors import Unsupported
from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import round_law
from draftproof.rules.match import match
from draftproof.rules.rejection import rejection
from draftproof.rules.top_plus_one import top_plus_one
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


def node(count):
    return Tree((0,) * count, Siblings.TOP_PLUS_ONE)


def ceiling(p, q, count):
    """p(T) + sum over v off T of min(p(v), q'(v)), for T the count - 1 likeliest tokens of q, by hand."""
    best = [token for token in sorted(range(len(q)), key=lambda token: (-q[token], token))[: count - 1] if q[token]]
    rest = [token for token in range(len(q)) if token not in best]
    mass = sum(q[token] for token in rest)
    return sum(p[token] for token in best) + sum(min(p[token], q[token] / mass) for token in rest if mass)


class TestKept:
    @pytest.mark.parametrize(("count", "kept"), [(1, "0.7"), (2, "0.9"), (3, "1")])
    def test_of_several_children(self, count, kept):
        found = round_law(top_plus_one, [constant_pair(P, Q)], node(count))
        assert found.accepted[0] == Fraction(kept)
        assert not found.distances.any()

    @pytest.mark.parametrize(("vocab", "count"), [(3, 1), (3, 2), (3, 3), (4, 2), (4, 3)])
    def test_is_the_ceiling_of_this_draft(self, vocab, count):
        tables = pairs(40, vocab, seed=count)
        found = round_law(top_plus_one, tables, node(count))
        assert found.accepted.tolist() == [ceiling(target.table[0, 0], draft.table[0, 0], count) for target, draft in tables]

    def test_of_one_child_is_decided_as_by_rejection(self, identical):
        assert not round_law(identical(top_plus_one, rejection), pairs(40, 3, seed=4), node(1)).vacuous

    def test_would_be_less_if_the_fixed_tokens_were_tested_first(self):
        """The same draft with the sample last: the residual of T is renormalised, and the sample loses."""

        def fixed_first(p, draft):
            likely, sample = draft.tokens[:, 1:], draft.tokens[:, :1]
            law = match(p, Draft.fixed(likely.tolist(), vocab=3, tree=Tree((0,))))
            rest = law.correction(np.zeros(len(sample), int))
            q = draft.laws(p)[:, 0]
            tested = rejection(
                stack([rest, rest]), Draft.sample(lambda tokens, node: q, Tree.chain(1), lambda laws, node, depth, live: sample[:, 0])
            )
            return law.kept[:, 1] + law.kept[:, 0] * tested.kept[:, 1]

        kept = Fraction(0)
        for sample, chance in ((0, Fraction(2, 5)), (2, Fraction(3, 5))):
            draft = Draft.sample(
                lambda tokens, node: np.array([Q], object),
                node(2),
                lambda laws, node, depth, live, sample=sample: np.array([sample if node == 1 else 1]),
            )
            kept += chance * fixed_first(np.array([[P] * 3], object), draft)[0]
        assert kept == Fraction(3, 10) + Fraction(7, 10) * (Fraction(2, 5) + Fraction(2, 7)) < Fraction(9, 10)


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = top_plus_one(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.fixed([()], vocab=2, tree=Tree((), Siblings.TOP_PLUS_ONE)))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    def test_a_draft_law_of_fewer_tokens_than_children_leaves_some_absent(self, carrier, drafted):
        p, q = [HALF, QUARTER, QUARTER], [0, 1, 0]
        draft = drafted(carrier.array([[q] * 4]), [[0, 1, 0]], node(3))
        assert draft.tokens.tolist() == [[NOTHING, 1, NOTHING]]
        law = top_plus_one(carrier.array([[p] * 4]), draft)
        assert carrier.same(law.kept, [[3 * QUARTER, 0, QUARTER, 0]])

    @pytest.mark.parametrize("law", [[QUARTER, HALF, QUARTER], [HALF, HALF, 0]], ids=["all", "zeros"])
    def test_equal_laws_are_still_exact(self, law):
        found = round_law(top_plus_one, [constant_pair(tuple(map(Fraction, law)), tuple(map(Fraction, law)))], node(2))
        assert not found.distances.any()


@pytest.mark.parametrize("siblings", [Siblings.DISTINCT, Siblings.INDEPENDENT])
def test_siblings_drawn_in_another_way_are_refused_with_a_rule_that_would_do(siblings):
    with pytest.raises(Unsupported) as refusal:
        top_plus_one(np.array([[P] * 3], object), Draft.fixed([[0, 1]], vocab=3, tree=Tree((0, 0), siblings)))
    assert str(refusal.value) == f"top_plus_one needs siblings drawn as top_plus_one; these are {siblings}; use recursive"
