"""Lossy rules: none follows the target, each follows the law it declares, and says how far that is."""

import math
from fractions import Fraction

import numpy as np
import pytest

from draftproof.carriers import check_laws
from draftproof.errors import BadRequest, Unsupported
from draftproof.models.table import TableModel
from draftproof.proof.fixtures import ROWS, all_rows, constant_pair, pairs, row
from draftproof.proof.rule import round_law
from draftproof.rules.bounds import overlap
from draftproof.rules.lossy import Lossy, chain_rule, ensemble, lenience, mentored, threshold, toward, typical
from draftproof.rules.match import match
from draftproof.rules.rejection import rejection
from draftproof.tree import Tree
from draftproof.types import Draft

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
P, Q = row(50, 30, 20), row(20, 50, 30)

RULES = {
    "lenience": lenience(HALF),
    "ensemble": ensemble(2 * THIRD),
    "mentored": mentored(3 * HALF),
    "typical": typical(),
    "threshold": threshold(HALF),
    "threshold, surely at 1/3": threshold(3 * QUARTER, THIRD),
}
every_rule = pytest.mark.parametrize("lossy", RULES.values(), ids=RULES.keys())


def rows(*laws):
    return np.array(laws, object)


def distance(one, other):
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2


@every_rule
class TestEveryOne:
    @pytest.mark.parametrize("width", [1, 2])
    def test_follows_the_law_it_declares(self, lossy, width):
        found = round_law(lossy.rule, pairs(40, 3, seed=width), Tree.chain(width), follows=lossy.followed)
        assert not found.distances.any()
        assert not found.vacuous

    def test_does_not_follow_the_target(self, lossy):
        assert round_law(lossy.rule, pairs(20, 3, seed=1), Tree.chain(2)).distances.any()

    def test_drifts_as_far_as_it_says(self, lossy):
        for p, q in ROWS.values():
            found = round_law(lossy.rule, [constant_pair(p, q)], Tree.chain(1))
            assert found.distances[0] == lossy.drift(rows(p), rows(q))[0] == distance(lossy.declared(rows(p), rows(q))[0], p)

    def test_declares_a_law_for_every_pair_of_rows(self, lossy):
        laws = all_rows(3, 4)
        p, q = (rows(*side) for side in zip(*[(p, q) for p in laws for q in laws], strict=True))
        check_laws(lossy.declared(p, q), "declared")

    def test_follows_the_target_where_nothing_is_drafted(self, lossy):
        assert (lossy.followed(rows(P, P), rows((0, 0, 0), Q)) == rows(P, lossy.declared(rows(P), rows(Q))[0])).all()

    def test_does_not_drift_from_equal_laws_unless_it_drops_tokens(self, lossy):
        drift = lossy.drift(rows(P), rows(P))[0]
        assert drift == 0 or lossy in (RULES["typical"], RULES["threshold"], RULES["threshold, surely at 1/3"])

    def test_declares_the_same_on_every_carrier(self, lossy, carrier):
        declared = lossy.declared(
            carrier.array([list(p) for p, _ in list(ROWS.values())[:2]]), carrier.array([list(q) for _, q in list(ROWS.values())[:2]])
        )
        exact = [lossy.declared(rows(p), rows(q))[0].tolist() for p, q in list(ROWS.values())[:2]]
        assert carrier.same(declared / 8, [[number / 8 for number in law] for law in exact])

    def test_leaves_the_target_to_a_draft_of_nothing(self, lossy, carrier):
        law = lossy.rule(carrier.array([[list(P)]]), Draft.none(1, vocab=3))
        assert carrier.same(law.kept, [[1]])
        assert carrier.same(law.correction(np.array([0])), [list(P)])

    def test_takes_rows_of_different_widths(self, lossy, carrier, drafted):
        p, q, blank = list(P), list(Q), [0, 0, 0]
        draft = drafted(carrier.array([[q, q], [q, blank], [blank, blank]]), [[1, 2], [1, 0], [0, 0]])
        law = lossy.rule(carrier.array([[p] * 3, [p, p, blank], [p, blank, blank]]), draft)
        alone = lossy.rule(carrier.array([[p, p]]), drafted(carrier.array([[q]]), [[1]]))
        assert carrier.same(law.kept[1:], [[*alone.kept[0].tolist(), 0], [1, 0, 0]])
        assert carrier.same(law.correction(np.array([2, 1, 0])), [p, p, p])
        assert carrier.same(law.correction(np.array([0, 0, 0]))[1:2], alone.correction(np.array([0])).tolist())

    def test_refuses_a_tree_by_its_own_name(self, lossy):
        name = next(name for name, other in RULES.items() if other is lossy).split(",")[0]
        with pytest.raises(Unsupported, match=f"^{name} verifies a chain, .*; use recursive, traversal or match$"):
            lossy.rule(rows([P] * 3), Draft.fixed([[0, 1]], vocab=3, tree=Tree((0, 0))))


class TestLenience:
    def test_declares_what_it_emits_by_hand(self):
        # min(q, 2p) = q but for nothing here: 1 is kept, and nothing is left.
        assert lenience(HALF).declared(rows(P), rows(Q)).tolist() == [list(Q)]
        p, q = row(10, 60, 30), row(50, 20, 30)
        # min(q, 2p) = (.2, .2, .3); the rest, .3, goes to (p - q/2)+ = (0, .5, .15).
        wanted = [Fraction(1, 5), Fraction(1, 5) + Fraction(3, 10) * 10 / 13, Fraction(3, 10) + Fraction(3, 10) * 3 / 13]
        assert lenience(HALF).declared(rows(p), rows(q)).tolist() == [wanted]

    @pytest.mark.parametrize("level", [QUARTER, HALF, 3 * QUARTER])
    def test_lifts_no_token_by_more_than_the_level_allows(self, level):
        for target, draft in pairs(40, 4, seed=1):
            p, q = target.table[0, 0], draft.table[0, 0]
            assert (lenience(level).declared(p[None], q[None])[0] <= p / level).all()

    def test_at_1_is_rejection(self, identical):
        assert not round_law(identical(lenience(Fraction(1)).rule, rejection), pairs(40, 3, seed=2), Tree.chain(2)).vacuous

    def test_keeps_more_than_rejection(self):
        tables = pairs(40, 3, seed=3)
        kept, plain = (round_law(rule, tables, Tree.chain(1)).accepted for rule in (lenience(HALF).rule, rejection))
        assert (kept >= plain).all()
        assert (kept > plain).any()


class TestEnsemble:
    @pytest.mark.parametrize("weight", [Fraction(0), QUARTER, 2 * THIRD, Fraction(1)])
    def test_drifts_by_its_share_of_the_distance(self, weight):
        assert ensemble(weight).drift(rows(P), rows(Q))[0] == (1 - weight) * distance(P, Q)

    def test_of_the_target_alone_is_rejection(self, identical):
        assert not round_law(identical(ensemble(Fraction(1)).rule, rejection), pairs(40, 3, seed=4), Tree.chain(2)).vacuous

    def test_of_the_draft_alone_keeps_everything(self):
        found = round_law(ensemble(Fraction(0)).rule, [constant_pair(P, Q)], Tree.chain(2))
        assert found.accepted[0] == 2

    def test_accepts_with_the_chance_its_authors_give(self, drafted):
        # min(1, 1 - w + w p / q), for each token
        weight = 2 * THIRD
        law = ensemble(weight).rule(rows(*[[P] * 2] * 3), drafted(rows(*[[Q]] * 3), [[0], [1], [2]]))
        assert law.kept[:, 1].tolist() == [min(1, 1 - weight + weight * p / q) for p, q in zip(P, Q, strict=True)]


class TestMentored:
    @pytest.mark.parametrize("boost", [Fraction(1), Fraction(11, 10), 3 * HALF, Fraction(3)])
    def test_holds_the_draft_between_its_caps_and_is_normalised(self, boost):
        """Every entry is q itself, boost p above it, or B p below it, for one B of at most 1."""
        for target, draft in pairs(60, 4, seed=5):
            p, q = target.table[0, 0], draft.table[0, 0]
            law = mentored(boost).declared(p[None], q[None])[0]
            assert sum(law) == 1
            assert (law <= boost * p).all() or boost == 1
            lifted = {entry / share for entry, share, drawn in zip(law, p, q, strict=True) if entry > drawn}
            assert len(lifted) <= 1
            (level,) = lifted or {Fraction(0)}
            assert level <= 1
            assert (law == np.minimum(np.maximum(q, level * p), boost * p)).all()

    def test_by_hand(self):
        # q held below 3/2 p: (.2, .45, .3); the .05 that is missing lifts token 0 to .25 = .5 of its .5.
        assert mentored(3 * HALF).declared(rows(P), rows(Q)).tolist() == [[QUARTER, Fraction(9, 20), Fraction(3, 10)]]

    def test_at_1_is_rejection(self, identical):
        assert not round_law(identical(mentored(Fraction(1)).rule, rejection), pairs(40, 3, seed=6), Tree.chain(2)).vacuous

    def test_of_a_generous_boost_is_the_draft(self):
        assert mentored(Fraction(3)).declared(rows(P), rows(Q)).tolist() == [list(Q)]

    def test_takes_disjoint_and_equal_laws(self):
        assert mentored(Fraction(2)).declared(rows((1, 0), (HALF, HALF)), rows((0, 1), (HALF, HALF))).tolist() == [[1, 0], [HALF, HALF]]

    @pytest.mark.timeout(10)
    def test_ends_where_rounding_leaves_several_tokens_at_one_ratio(self):
        p = np.array([8, 7, 19, 2, 9]) / 45
        q = np.append(p[:-1] * 0.9, 1 - (p[:-1] * 0.9).sum())
        law = mentored(1.5).declared(p[None], q[None])[0]
        assert abs(law - q).max() < 1e-15, "the draft is within its caps"

    @pytest.mark.timeout(30)
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_ends_for_drafts_in_a_few_ratios_to_the_target(self, dtype):
        random = np.random.default_rng(0)
        weights = random.integers(1, 20, size=(3000, 8)).astype(float)
        factors = random.choice([0.5, 0.9, 1, 2, 3], size=weights.shape)
        p, q = (rows / rows.sum(-1, keepdims=True) for rows in (weights, weights * factors))
        law = mentored(1.5).declared(p.astype(dtype), q.astype(dtype))
        assert abs(law.sum(-1) - 1).max() < 10 * np.finfo(dtype).eps
        assert (law <= 1.5 * p.astype(dtype) * (1 + 10 * np.finfo(dtype).eps)).all()


class TestTypical:
    @staticmethod
    def likely(p, epsilon, delta):
        entropy = -sum(float(x) * math.log(x) for x in p if x)
        return [x > min(epsilon, delta * math.exp(-entropy)) for x in p]

    @pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.09), (0.25, 10.0), (0.3, 0.8), (0.01, 0.01)])
    def test_declares_the_draft_on_the_likely_set_and_the_rest_at_the_best(self, epsilon, delta):
        for target, draft in pairs(40, 4, seed=7):
            p, q = target.table[0, 0], draft.table[0, 0]
            kept = self.likely(p, epsilon, delta)
            wanted = [x if keep else Fraction(0) for x, keep in zip(q, kept, strict=True)]
            wanted[max(range(4), key=lambda token: (p[token], -token))] += 1 - sum(wanted)
            assert typical(epsilon, delta).declared(p[None], q[None]).tolist() == [wanted]

    def test_keeps_nothing_but_the_draft_where_all_is_likely(self):
        assert typical().drift(rows(P), rows(Q))[0] == distance(P, Q)

    def test_takes_a_point_mass(self):
        assert typical().declared(rows((0, 1, 0)), rows(Q)).tolist() == [[0, 1, 0]]


class TestThreshold:
    def test_at_1_is_match(self, settled):
        """Where nothing was refused for sure; `match` then names another law for what never follows."""

        def rule(target_probs, draft):
            law = threshold(Fraction(1)).rule(target_probs, draft)
            assert settled(law) == settled(match(target_probs, draft))
            return law

        assert not round_law(rule, pairs(40, 3, seed=8), Tree.chain(2)).vacuous

    def test_by_hand(self):
        # Kept with (1, .6, .4). Refused: .2 of token 1 goes to (5/7, 0, 2/7), .18 of token 2 to (5/8, 3/8, 0).
        fifth, refused = Fraction(1, 5), Fraction(9, 50)
        wanted = [
            fifth + fifth * Fraction(5, 7) + refused * Fraction(5, 8),
            Fraction(3, 10) + refused * Fraction(3, 8),
            Fraction(12, 100) + fifth * Fraction(2, 7),
        ]
        assert threshold(HALF).declared(rows(P), rows(Q)).tolist() == [wanted]

    def test_keeps_a_token_for_sure_from_where_it_says(self, drafted):
        law = threshold(Fraction(1), Fraction(3, 10)).rule(rows(*[[P] * 2] * 3), drafted(rows(*[[Q]] * 3), [[0], [1], [2]]))
        assert law.kept[:, 1].tolist() == [1, 1, Fraction(1, 5)]

    def test_takes_a_point_mass(self):
        assert threshold(HALF).declared(rows((0, 1, 0)), rows(Q)).tolist() == [[0, 1, 0]]


class TestToward:
    def test_keeps_as_much_as_any_rule_that_follows_the_law(self):
        pi = rows(row(40, 40, 20))
        found = round_law(toward(lambda p, q: p * 0 + pi[0], name="mine").rule, [constant_pair(P, Q)], Tree.chain(1))
        assert found.accepted[0] == overlap(pi, rows(Q))[0]

    def test_of_the_target_is_rejection(self, identical):
        exact = toward(lambda p, q: p, name="mine")
        assert not round_law(identical(exact.rule, rejection), pairs(40, 3, seed=9), Tree.chain(2)).vacuous


class TestChainRule:
    def test_never_accepts_what_was_not_drafted(self):
        always = chain_rule(lambda p, q, x: p.sum(-1), lambda p, q, x: p, name="mine")
        law = always(rows([P] * 3), Draft.fixed([[0]], vocab=3, tree=Tree.chain(2)))
        assert law.kept.tolist() == [[0, 1, 0]]

    def test_asks_for_no_fallback_where_nothing_was_drafted(self):
        best = chain_rule(lambda p, q, x: p.sum(-1) * 0, lambda p, q, x: p * 0, name="mine")
        law = best(rows([P] * 2), Draft.fixed([[0]], vocab=3))
        assert law.correction(np.array([1])).tolist() == [list(P)]
        assert law.correction(np.array([0])).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lenience(0.0), "lenience level is 0.0; it must satisfy 0 < level <= 1"),
        (lambda: lenience(1.5), "lenience level is 1.5; it must satisfy 0 < level <= 1"),
        (lambda: ensemble(-0.1), "ensemble weight is -0.1; it must satisfy 0 <= weight <= 1"),
        (lambda: ensemble(Fraction(9, 8)), "ensemble weight is 9/8; it must satisfy 0 <= weight <= 1"),
        (lambda: mentored(0.9), "mentored boost is 0.9; it must satisfy boost >= 1"),
        (lambda: mentored(float("nan")), "mentored boost is nan; it must satisfy boost >= 1"),
        (lambda: typical(epsilon=0.0), "typical epsilon is 0.0; it must satisfy 0 < epsilon < 1"),
        (lambda: typical(epsilon=1.0), "typical epsilon is 1.0; it must satisfy 0 < epsilon < 1"),
        (lambda: typical(delta=0.0), "typical delta is 0.0; it must satisfy delta > 0"),
        (lambda: threshold(0.0), "threshold accept_at is 0.0; it must satisfy 0 < accept_at <= 1"),
        (lambda: threshold(1.0, 2.0), "threshold surely_at is 2.0; it must satisfy 0 < surely_at <= 1"),
    ],
)
def test_a_parameter_out_of_range_is_refused_by_name_and_value(make, message):
    with pytest.raises(BadRequest) as refusal:
        make()
    assert str(refusal.value) == message


def test_a_law_of_ones_own_can_be_declared():
    half = Lossy(rejection, lambda p, q: (p + q) / 2)
    assert half.drift(rows(P), rows(Q))[0] == distance(P, Q) / 2
    wrong = round_law(
        half.rule, [(TableModel(rows(*[[P] * 3] * 3)), TableModel(rows(*[[Q] * 3] * 3)))], Tree.chain(1), follows=half.followed
    )
    assert wrong.distances[0] == distance(P, Q) / 2, "and is found out if the rule does not follow it"
