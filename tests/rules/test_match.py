"""Sampler match: draw y from the target, keep the drafted token if it is y, emit y in any case. Exact for any draft."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import fixed_round_law, round_law
from draftproof.rules.match import match
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


class TestKept:
    def test_of_a_sampled_token_is_how_often_two_samples_agree(self):
        assert round_law(match, [constant_pair(P, Q)], Tree.chain(1)).accepted[0] == Fraction("0.31")

    @pytest.mark.parametrize(("count", "kept"), [(2, HALF), (3, 1)])
    def test_of_the_likeliest_tokens_of_the_draft_is_what_the_target_gives_them(self, count, kept):
        best = sorted(range(3), key=lambda token: -Q[token])[:count]
        law = match(np.array([[P] * (count + 1)], object), Draft.fixed([best], vocab=3, tree=Tree((0,) * count)))
        assert law.kept[0, 1:].sum() == kept

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_of_any_set_of_children_is_what_the_target_gives_it(self, count):
        for chosen in combinations(range(3), count):
            law = match(np.array([[P] * (count + 1)], object), Draft.fixed([chosen], vocab=3, tree=Tree((0,) * count)))
            assert law.kept[0].tolist() == [1 - sum(P[token] for token in chosen), *(P[token] for token in chosen)]

    @pytest.mark.parametrize("tree", [Tree.chain(3), Tree.branching(2, 1), Tree((0, 1, 1))], ids=lambda tree: str(tree.parents))
    def test_is_the_probability_of_the_paths_and_nothing_beats_it_on_a_fixed_tree(self, tree):
        (target, _), *_ = pairs(1, 3, seed=3)
        tokens = [0, 1, 2, 0][: tree.width]
        draft = Draft.fixed([tokens], vocab=3, tree=tree)
        paths = [[tokens[node - 1] for node in tree.path(end)] for end in range(tree.width + 1)]
        law = match(np.stack([target.law([0, 0, *path]) for path in paths])[None], draft)
        for end, path in enumerate(paths):
            probability = Fraction(1)
            for place, token in enumerate(path):
                probability *= target.law([0, 0, *path[:place]])[token]
            below = [node for node in range(tree.width + 1) if end in (0, *tree.path(node))]
            assert sum(law.kept[0, node] for node in below) == probability


class TestAgreesAcrossOrders:
    def test_the_order_of_siblings_does_not_matter(self, carrier):
        p = [HALF, THIRD, Fraction(1, 6)]
        laws = [match(carrier.array([[p] * 3]), Draft.fixed([order], vocab=3, tree=Tree((0, 0)))) for order in ([0, 2], [2, 0])]
        assert carrier.same(laws[0].kept, [[THIRD, HALF, Fraction(1, 6)]])
        assert carrier.same(laws[1].kept, [[THIRD, Fraction(1, 6), HALF]])
        assert all(carrier.same(law.correction(np.array([0])), [[0, 1, 0]]) for law in laws)


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = match(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    def test_a_certain_token_is_kept_for_sure_and_an_impossible_one_never(self, carrier):
        law = match(carrier.array([[[0, 1], [HALF, HALF]]] * 2), Draft.fixed([[1], [0]], vocab=2))
        assert carrier.same(law.kept, [[0, 1], [1, 0]])
        assert carrier.same(law.correction(np.array([1, 0])), [[HALF, HALF], [0, 1]])

    def test_a_duplicate_sibling_is_kept_once_as_the_elder(self, carrier):
        p = [HALF, QUARTER, QUARTER]
        law = match(carrier.array([[p] * 4]), Draft.fixed([[0, 0, 1]], vocab=3, tree=Tree((0, 0, 0))))
        assert carrier.same(law.kept, [[QUARTER, HALF, 0, QUARTER]])
        assert carrier.same(law.correction(np.array([0])), [[0, 0, 1]])

    def test_independent_siblings_that_came_out_equal_bias_nothing(self):
        found = round_law(match, [constant_pair(P, Q)], Tree((0, 0), Siblings.INDEPENDENT))
        assert not found.distances.any()
        assert found.accepted[0] == sum(P[x] * (1 - (1 - Q[x]) ** 2) for x in range(3))

    def test_rows_of_one_batch_may_lack_nodes(self, carrier):
        p, blank = [HALF, QUARTER, QUARTER], [0, 0, 0]
        draft = Draft.fixed([[0, 1, 2], [NOTHING, 1], []], vocab=3, tree=Tree((0, 0, 1)))
        law = match(carrier.array([[p] * 4, [p, blank, p, blank], [p, blank, blank, blank]]), draft)
        assert carrier.same(law.kept, [[QUARTER, 3 * HALF / 4, QUARTER, HALF / 4], [3 * QUARTER, 0, QUARTER, 0], [1, 0, 0, 0]])
        assert carrier.same(law.correction(np.array([0, 0, 0])), [[0, 0, 1], [2 * THIRD, 0, THIRD], p])

    def test_a_child_of_what_is_never_reached_is_never_kept(self, carrier):
        law = match(carrier.array([[[0, 1], [1, 0], [1, 0]]]), Draft.fixed([[0, 0]], vocab=2))
        assert carrier.same(law.kept, [[1, 0, 0]])

    def test_it_is_exact_given_every_draft_there_is(self):
        for tree in (Tree.chain(2), Tree((0, 0)), Tree((0, 0, 1))):
            found = fixed_round_law(match, pairs(15, 3, seed=4), tree)
            assert not found.vacuous
            assert not found.distances.any()


def test_one_draw_a_path_instead_of_one_a_node_favours_the_draft():
    """Two paths of one sampled token each; each path is compared with a draw of its own, and the first match is kept."""
    out = [Fraction(0)] * 3
    for first in range(3):
        for second in range(3):
            for draws in [(y, z) for y in range(3) for z in range(3)]:
                weight = P[first] * P[second] * P[draws[0]] * P[draws[1]]
                matched = [x for x, y in zip((first, second), draws, strict=True) if x == y]
                out[matched[0] if matched else draws[0]] += weight
    assert out != list(P)
    assert sum(abs(o - p) for o, p in zip(out, P, strict=True)) / 2 > 0
