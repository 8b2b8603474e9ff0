"""Ceilings: the most that any exact rule can keep."""

from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random

import numpy as np
import pytest
from scipy.optimize import linprog

from draftproof.errors import Unsupported
from draftproof.models.table import KINDS, random_row
from draftproof.proof.fixtures import all_rows, constant_pair, pairs, row
from draftproof.proof.rule import round_law
from draftproof.rules.block import block
from draftproof.rules.bounds import chain_ceiling, coupled_overlap, overlap, transport_ceiling
from draftproof.rules.match import match
from draftproof.rules.rejection import rejection
from draftproof.tree import Siblings, Tree

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
P, Q = (np.array(law, object) for law in (row(50, 30, 20), row(20, 50, 30)))
"""Target and draft of the reference numbers."""

DRAWN_FROM_Q = [Siblings.INDEPENDENT, Siblings.DISTINCT]


def random_rows(count, *, seed, largest_vocab=5):
    """Pairs of rows of one vocabulary, with zeros, ties and point masses."""
    random = Random(seed)
    for _ in range(count):
        vocab = random.randint(2, largest_vocab)
        yield tuple(np.array(random_row(random, vocab, random.choice(KINDS[:4])), object) for _ in "pq")


def candidates(q, count, siblings):
    """Every tuple of candidates that can be drawn, with its probability; fewer where q runs out."""
    if siblings is Siblings.INDEPENDENT:
        for drawn in product(range(len(q)), repeat=count):
            yield drawn, np.prod([q[token] for token in drawn])
    else:
        support = [token for token in range(len(q)) if q[token]]
        for drawn in permutations(support, min(count, len(support))):
            chance, left = Fraction(1), Fraction(1)
            for token in drawn:
                chance, left = chance * q[token] / left, left - q[token]
            yield drawn, chance


class TestOverlap:
    def test_of_the_reference_rows(self, carrier):
        assert carrier.same(overlap(carrier.array([list(P)]), carrier.array([list(Q)])), [Fraction(7, 10)])

    def test_of_one_row_is_a_number(self):
        assert overlap(P, Q) == Fraction(7, 10)

    def test_is_1_minus_the_total_variation(self):
        for p, q in random_rows(50, seed=1):
            assert overlap(p[None], q[None])[0] == 1 - abs(p - q).sum() / 2

    def test_is_1_for_equal_and_0_for_disjoint_laws(self, carrier):
        laws = carrier.array([[HALF, HALF, 0], [HALF, HALF, 0]])
        assert carrier.same(overlap(laws, carrier.array([[HALF, HALF, 0], [0, 0, 1]])), [1, 0])

    def test_takes_rows_on_any_axes(self, carrier):
        assert carrier.same(overlap(carrier.array([[[1, 0]], [[0, 1]]]), carrier.array([[[HALF, HALF]], [[1, 0]]])), [[HALF], [0]])


class TestCoupledOverlap:
    def test_of_the_reference_rows(self):
        assert coupled_overlap(P, Q) == Fraction(43, 62)
        assert round(float(coupled_overlap(P, Q)), 6) == 0.693548

    def test_lies_between_its_lower_bound_and_the_overlap(self):
        for p, q in random_rows(100, seed=2):
            distance = abs(p - q).sum() / 2
            assert (1 - distance) / (1 + distance) <= coupled_overlap(p, q) <= 1 - distance

    def test_is_1_for_equal_and_0_for_disjoint_laws(self):
        assert coupled_overlap(P, P) == 1
        assert coupled_overlap(np.array([HALF, HALF, 0], object), np.array([0, 0, 1], object)) == 0

    def test_takes_floats(self):
        assert coupled_overlap(P.astype(float), Q.astype(float)) == pytest.approx(43 / 62, abs=1e-15)


class TestTransportCeiling:
    @pytest.mark.parametrize(
        ("siblings", "count", "kept"),
        [
            (Siblings.INDEPENDENT, 2, "0.86"),
            (Siblings.DISTINCT, 2, "69/70"),
            (Siblings.INDEPENDENT, 3, "0.988"),
            (Siblings.DISTINCT, 3, "1"),
        ],
    )
    def test_of_the_reference_rows(self, siblings, count, kept):
        assert transport_ceiling(P, Q, count, siblings) == Fraction(kept)

    def test_without_replacement_is_985714_millionths_for_two(self):
        assert round(float(transport_ceiling(P, Q, 2, Siblings.DISTINCT)), 6) == 0.985714

    @pytest.mark.parametrize("siblings", DRAWN_FROM_Q)
    @pytest.mark.parametrize("count", [1, 2, 3, 4])
    def test_is_the_least_over_all_sets_not_over_prefixes_alone(self, siblings, count):
        for p, q in random_rows(60, seed=count, largest_vocab=4):
            drawn = list(candidates(q, count, siblings))
            least = min(
                sum(p[list(inside)], Fraction(0)) + 1 - sum(chance for tokens, chance in drawn if set(tokens) <= set(inside))
                for size in range(len(p) + 1)
                for inside in combinations(range(len(p)), size)
            )
            assert transport_ceiling(p, q, count, siblings) == least

    @pytest.mark.parametrize("siblings", DRAWN_FROM_Q)
    @pytest.mark.parametrize("count", [2, 3])
    def test_is_the_optimum_of_the_transport_from_candidates_to_output(self, siblings, count):
        for p, q in random_rows(12, seed=10 + count, largest_vocab=4):
            drawn, chances = zip(*candidates(q, count, siblings), strict=True)
            cells = list(product(range(len(drawn)), range(len(p))))
            gain = np.array([float(output in drawn[tokens]) for tokens, output in cells])
            margins = [[float(tokens == t) for tokens, _ in cells] for t in range(len(drawn))] + [
                [float(output == o) for _, output in cells] for o in range(len(p))
            ]
            best = linprog(-gain, A_eq=margins, b_eq=np.array([*chances, *p], float), method="highs")
            assert best.status == 0
            assert float(transport_ceiling(p, q, count, siblings)) == pytest.approx(-best.fun, abs=1e-9)

    def test_of_one_candidate_is_the_overlap(self):
        for p, q in random_rows(50, seed=3):
            assert [transport_ceiling(p, q, 1, siblings) for siblings in DRAWN_FROM_Q] == [overlap(p[None], q[None])[0]] * 2

    def test_of_a_draft_that_is_certain_is_what_the_target_gives_it(self):
        p, q = np.array([HALF, THIRD, 1 - HALF - THIRD], object), np.array(row(0, 100, 0), object)
        assert [transport_ceiling(p, q, count, siblings) for count in (1, 2, 3) for siblings in DRAWN_FROM_Q] == [THIRD] * 6

    def test_of_floats_is_that_of_the_fractions(self):
        for p, q in random_rows(20, seed=4):
            for siblings, count in product(DRAWN_FROM_Q, (2, 3)):
                exact = transport_ceiling(p, q, count, siblings)
                assert transport_ceiling(p.astype(float), q.astype(float), count, siblings) == pytest.approx(float(exact), abs=1e-12)

    def test_without_replacement_is_never_below_with_it(self):
        for p, q in random_rows(50, seed=5):
            with_it, without = (transport_ceiling(p, q, 2, siblings) for siblings in DRAWN_FROM_Q)
            assert with_it <= without

    def test_of_the_top_tokens_and_one_is_refused_with_where_to_find_it(self):
        with pytest.raises(Unsupported) as refusal:
            transport_ceiling(P, Q, 2, Siblings.TOP_PLUS_ONE)
        assert str(refusal.value) == "the ceiling of top_plus_one is what the rule itself keeps: see rules.top_plus_one"


class TestChainCeiling:
    def test_of_one_token_is_the_overlap(self):
        assert chain_ceiling(lambda text: P, lambda text: Q, 1, 3) == Fraction(7, 10)

    def test_of_no_tokens_is_0(self):
        assert chain_ceiling(lambda text: P, lambda text: Q, 0, 3) == 0

    def test_of_the_binary_example(self):
        assert chain_ceiling(lambda text: (THIRD, 2 * THIRD), lambda text: (2 * THIRD, THIRD), 2, 2) == Fraction(12, 9)

    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_is_above_what_any_rule_of_chains_keeps(self, width):
        tables = pairs(30, 3, seed=width)
        ceilings = [
            chain_ceiling(lambda text, t=target: t.law([0, 0, *text]), lambda text, d=draft: d.law([0, 0, *text]), width, 3)
            for target, draft in tables
        ]
        for rule in (rejection, block, match):
            assert (round_law(rule, tables, Tree.chain(width)).accepted <= ceilings).all()

    def test_is_met_by_a_drafter_that_is_the_target(self):
        assert chain_ceiling(lambda text: P, lambda text: P, 3, 3) == 3


def test_every_small_pair_keeps_within_its_ceiling():
    """What `rejection` keeps of one token is the ceiling itself, for every pair of laws with denominators up to 4."""
    laws = all_rows(3, 4)
    everything = [constant_pair(p, q) for p in laws for q in laws]
    kept = round_law(rejection, everything, Tree.chain(1)).accepted
    assert kept.tolist() == [transport_ceiling(np.array(p, object), np.array(q, object), 1, Siblings.DISTINCT) for p in laws for q in laws]
