"""k-SEQ: independent candidates, each tested against q with the divisor r; exact at every r that leaves a residual."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.errors import Unsupported
from draftproof.proof.fixtures import constant_pair, pairs, row
from draftproof.proof.rule import round_law
from draftproof.rules.bounds import transport_ceiling
from draftproof.rules.kseq import STEP, divisor, kseq
from draftproof.rules.rejection import rejection
from draftproof.tree import Siblings, Tree
from draftproof.types import Draft

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


def node(count):
    return Tree((0,) * count, Siblings.INDEPENDENT)


def exact_divisor(p, q, count):
    (r,) = divisor(np.array([p], object), np.array([q], object), count)
    return r


def overdraft(p, q, count, r):
    """r b - (1 - (1 - b)^n), which must not be negative; b = sum min(q, p / r)."""
    b = sum(min(x, y / r) for x, y in zip(q, p, strict=True))
    return r * b - (1 - (1 - b) ** count)


class TestKept:
    @pytest.mark.parametrize(("count", "kept"), [(1, 0.7), (2, 0.791355), (3, 0.858519)])
    def test_of_several_children(self, count, kept):
        found = round_law(kseq, [constant_pair(P, Q)], node(count))
        assert round(float(found.accepted[0]), 6) == kept
        assert not found.distances.any()

    @pytest.mark.parametrize("count", [2, 3])
    def test_is_between_the_promised_share_of_the_optimal_transport_and_all_of_it(self, count):
        tables = pairs(40, 3, seed=count)
        kept = round_law(kseq, tables, node(count)).accepted
        ceiling = [transport_ceiling(target.table[0, 0], draft.table[0, 0], count, Siblings.INDEPENDENT) for target, draft in tables]
        assert (kept <= ceiling).all()
        assert all(k >= (1 - np.exp(-1)) * float(c) for k, c in zip(kept, ceiling, strict=True))
        assert (kept < ceiling).any()

    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_on_a_chain_is_decided_as_by_rejection(self, identical, width):
        assert not round_law(identical(kseq, rejection), pairs(30, 3, seed=width), Tree.chain(width)).vacuous


class TestDivisor:
    @pytest.mark.parametrize(("count", "root"), [(2, 1.456776), (3, 1.792593)])
    def test_of_the_reference_rows(self, count, root):
        assert round(float(exact_divisor(P, Q, count)), 6) == root

    def test_of_one_candidate_is_1(self):
        assert exact_divisor(P, Q, 1) == 1

    @pytest.mark.parametrize("count", [2, 3, 4])
    def test_is_the_first_step_at_or_above_the_root(self, count):
        for target, draft in pairs(40, 4, seed=count):
            p, q = target.table[0, 0], draft.table[0, 0]
            r = exact_divisor(p, q, count)
            assert 1 <= r <= count
            assert r % Fraction(STEP) == 0
            assert overdraft(p, q, count, r) >= 0
            # Two steps lower it is below the root, as far as float64 can tell: where p = q a root of order n is flat.
            lower = r - 2 * Fraction(STEP)
            assert lower < 1 or overdraft(p, q, count, lower) < Fraction(2.0**-50) or not any(p * q)

    def test_is_the_number_of_candidates_where_the_laws_share_nothing(self):
        assert exact_divisor((1, 0), (0, 1), 3) == 3

    def test_of_equal_laws_keeps_as_much_as_it_can(self):
        r = exact_divisor(P, P, 2)
        assert overdraft(P, P, 2, r) >= 0
        assert 1 < r < 2

    @pytest.mark.parametrize("tiny", [Fraction(1, 10**12), Fraction(1, 10**14), Fraction(1, 10**16)])
    @pytest.mark.parametrize("count", [2, 3, 4])
    def test_is_at_or_above_the_root_where_float64_cannot_tell(self, count, tiny):
        for times in range(11, 50):
            p, q = [(share, 1 - share) for share in (tiny * Fraction(times, 10), tiny)]
            assert overdraft(p, q, count, exact_divisor(p, q, count)) >= 0

    def test_is_of_the_carrier_of_the_target(self, carrier):
        rows = carrier.array([list(P), list(Q)])
        found = divisor(rows, carrier.array([list(Q), list(Q)]), 2)
        wanted = [exact_divisor(P, Q, 2), exact_divisor(Q, Q, 2)]
        assert carrier.same(found, wanted)


class TestEdges:
    def test_a_draft_of_nothing_leaves_the_target(self, carrier):
        law = kseq(carrier.array([[[QUARTER, 3 * QUARTER]]]), Draft.none(1, vocab=2))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [[QUARTER, 3 * QUARTER]])

    def test_disjoint_laws_keep_nothing_and_emit_the_target(self, carrier, drafted):
        p, q = [HALF, HALF, 0], [0, 0, 1]
        law = kseq(carrier.array([[p] * 3]), drafted(carrier.array([[q] * 3]), [[2, 2]], node(2)))
        assert carrier.same(law.kept, [[1, 0, 0]])
        assert carrier.same(law.correction(np.array([0])), [p])

    def test_equal_laws_are_still_exact(self):
        found = round_law(kseq, [constant_pair(P, P), constant_pair(row(0, 100, 0), row(0, 100, 0))], node(2))
        assert not found.distances.any()

    @pytest.mark.parametrize("count", [2, 3, 4])
    def test_probabilities_below_the_rounding_of_floats_are_still_exact(self, count):
        p, q = [(share, 1 - share) for share in (Fraction(33, 10**15), Fraction(3, 10**14))]
        assert not round_law(kseq, [constant_pair(p, q)], node(count)).distances.any()

    def test_candidates_that_came_out_twice_are_separate_tries(self, carrier, drafted):
        # At r = 2 a candidate is kept with p / 2q; both tests are of the same token.
        p, q = [HALF, HALF], [0, 1]
        r = exact_divisor(p, q, 2)
        chance = HALF / r
        law = kseq(carrier.array([[p] * 3]), drafted(carrier.array([[q] * 3]), [[1, 1]], node(2)))
        assert carrier.same(law.kept, [[(1 - chance) ** 2, chance, (1 - chance) * chance]])

    def test_rows_of_one_batch_may_lack_nodes(self, carrier, drafted):
        p, blank = [QUARTER, 3 * QUARTER], [0, 0]
        draft = drafted(carrier.array([[p, blank, blank], [blank] * 3]), [[0, 1], [0, 0]], node(2))
        law = kseq(carrier.array([[p] * 3, [p, blank, blank]]), draft)
        assert carrier.same(law.kept[1:], [[1, 0, 0]])
        assert carrier.same(law.correction(np.array([0, 0]))[1:], [p])

    def test_a_chain_of_chosen_tokens_is_kept_as_the_target_has_them(self, carrier):
        law = kseq(carrier.array([[[QUARTER, 3 * QUARTER]] * 3]), Draft.fixed([[0, 1]], vocab=2))
        assert carrier.same(law.kept, [[3 * QUARTER, QUARTER / 4, 3 * QUARTER / 4]])


class TestSiblingsThatWereNotDrawnIndependentlyFromOneLaw:
    MESSAGE = "kseq needs siblings drawn independently from one law; use recursive for distinct or fixed ones"

    @pytest.mark.parametrize("siblings", [Siblings.DISTINCT, Siblings.TOP_PLUS_ONE])
    def test_are_refused(self, drafted, siblings):
        draft = drafted(np.array([[Q] * 3], object), [[0, 1]], Tree((0, 0), siblings))
        with pytest.raises(Unsupported) as refusal:
            kseq(np.array([[P] * 3], object), draft)
        assert str(refusal.value) == self.MESSAGE

    def test_are_refused_if_they_were_chosen(self):
        with pytest.raises(Unsupported) as refusal:
            kseq(np.array([[P] * 3], object), Draft.fixed([[0, 1]], vocab=3, tree=node(2)))
        assert str(refusal.value) == self.MESSAGE
