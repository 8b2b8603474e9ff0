"""Planted faults: rules that are wrong in the ways that real ones were, and the exact distance at which each is seen.

Each distance is a total variation of the first token on the pairs F1 to F4 of `proof.fixtures`, in thousandths. A zero
says that the pair hides the fault: no single pair shows them all.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps

import numpy as np
import pytest

from draftproof.carriers import at, indicator, normalise, one_hot, pick_row, ratio, stack
from draftproof.errors import NotExact
from draftproof.proof import assert_exact
from draftproof.proof.fixtures import ROWS, constant_pair
from draftproof.proof.noise import run_race, whole
from draftproof.proof.rule import round_law
from draftproof.rules.chains import chain_laws, first_rejection
from draftproof.rules.greedy import greedy_law
from draftproof.rules.lossy import chain_rule
from draftproof.rules.match import match
from draftproof.rules.recursive import recursive
from draftproof.rules.rejection import rejection
from draftproof.tree import Siblings, Tree
from draftproof.types import Draft, Rule, VerdictLaw

CHAIN = Tree.chain(1)
INDEPENDENT, DISTINCT = Tree((0, 0), Siblings.INDEPENDENT), Tree((0, 0), Siblings.DISTINCT)


def thousandths(distance):
    """Rounded half up, as the table is."""
    return math.floor(distance * 1000 + Fraction(1, 2))


# ---------------------------------------------------------------- one drafted token: a test and a fallback


def ratio_test(p, q, x):
    return ratio(at(p, x), at(q, x)).clip(max=1)


def residual(p, q, x):
    return normalise((p - q).clip(min=0), otherwise=p)


def softmax_of_the_residual(p, q, x):
    exponentials = [Fraction(math.exp(entry)) for entry in (p - q).clip(min=0).flat]
    return normalise(np.array(exponentials, object).reshape(p.shape), otherwise=p)


def the_target(p, q, x):
    return p


def the_best(p, q, x):
    return greedy_law(p)


def slot(accept, fallback):
    return chain_rule(accept, fallback, name="a fault")


ONE_TOKEN = {
    "fallback from the target": (slot(ratio_test, the_target), (200, 100, 140, 125)),
    "fallback from the softmax of the residual": (slot(ratio_test, softmax_of_the_residual), (229, 140, 180, 180)),
    "fallback to the best token": (slot(ratio_test, the_best), (0, 200, 100, 200)),
    "fallback from |p - q|": (slot(ratio_test, lambda p, q, x: normalise(abs(p - q), otherwise=p)), (200, 250, 200, 250)),
    "ratio upside down": (slot(lambda p, q, x: ratio(at(q, x), at(p, x)).clip(max=1), residual), (400, 500, 400, 500)),
    "two rules mixed: accept p(x), residual of p - q": (slot(lambda p, q, x: at(p, x), residual), (260, 60, 240, 172)),
    "accept p(x), a fresh draw from p on a miss": (slot(lambda p, q, x: at(p, x), the_target), (95, 86, 40, 41)),
    "accept if p >= q, without a coin": (slot(lambda p, q, x: indicator(at(p, x) >= at(q, x), p), residual), (500, 200, 300, 200)),
    "accept if p(x) >= 1/4": (slot(lambda p, q, x: indicator(at(p, x) >= Fraction(1, 4), p), the_target), (390, 60, 110, 88)),
    "greedy verification of a sampling request": (slot(lambda p, q, x: at(greedy_law(p), x), the_best), (500, 500, 600, 600)),
    "the draft is never verified": (slot(lambda p, q, x: p.sum(-1), residual), (400, 500, 400, 500)),
    "accept p(x) / max p": (slot(lambda p, q, x: at(p, x) / p.max(-1), residual), (80, 80, 75, 65)),
}


# ---------------------------------------------------------------- one drafted token: numbers that are not independent


def with_the_coin_of_the_draft(target_probs, draft):
    """The draft is the inverse of q's cumulative law at u, and the token is accepted if the same u < p / q."""
    q, x = chain_laws(target_probs, draft, rule="a fault")
    above = q.cumsum(-1)
    start, share = at(above - q, x), at(q, x)
    reach = (ratio(at(target_probs, x), share).clip(max=1) - start).clip(min=0)
    return VerdictLaw(first_rejection(ratio(reach - (reach - share).clip(min=0), share)), rejection(target_probs, draft).correction)


def with_the_coin_of_the_test(target_probs, draft):
    """A refusal says that the coin was at least p / q; the residual is then inverted at the same coin."""
    law = rejection(target_probs, draft)
    q, x = chain_laws(target_probs, draft, rule="a fault")
    refused_from = ratio(at(target_probs, x), at(q, x)).clip(max=1)

    def correction(kept: np.ndarray) -> np.ndarray:
        right = law.correction(kept)
        end = right.cumsum(-1)
        start = end - right
        coin = pick_row(refused_from[..., None], kept)
        return normalise((end - start - (coin - start).clip(min=0)).clip(min=0), otherwise=right)

    return VerdictLaw(law.kept, correction)


def with_the_race_of_the_draft(target_probs, draft):
    """The residual's token wins the same race that gave the drafted token."""
    law = rejection(target_probs, draft)
    q, x = chain_laws(target_probs, draft, rule="a fault")

    def correction(kept: np.ndarray) -> np.ndarray:
        rows = []
        for right, drawn_from, token in zip(law.correction(kept), pick_row(q, kept), pick_row(x, kept), strict=True):
            region = run_race(whole(len(right)), tuple(drawn_from))[token] if any(drawn_from) else whole(len(right))
            shares = [sum((simplex.share for simplex in part), Fraction(0)) for part in run_race(region, tuple(map(Fraction, right)))]
            rows.append([share / sum(shares) for share in shares])
        return np.array(rows, object)

    return VerdictLaw(law.kept, correction)


SHARED_NUMBERS = {
    "one coin for the draft and its test": (with_the_coin_of_the_draft, (200, 200, 100, 200)),
    "one coin for the test and the residual": (with_the_coin_of_the_test, (0, 80, 75, 80)),
    "one race for the draft and the residual": (with_the_race_of_the_draft, (0, 10, 33, 31)),
}


@pytest.mark.parametrize(("rule", "distances"), (ONE_TOKEN | SHARED_NUMBERS).values(), ids=(ONE_TOKEN | SHARED_NUMBERS).keys())
class TestAFaultInTheVerificationOfOneToken:
    def test_is_seen_from_as_far_as_the_table_says(self, rule, distances):
        found = [round_law(rule, [constant_pair(*rows)], CHAIN).distances[0] for rows in ROWS.values()]
        assert tuple(map(thousandths, found)) == distances

    def test_is_refused_by_the_proof_with_a_counterexample(self, rule, distances):
        with pytest.raises(NotExact, match=r"is not exact: pair \d+, draft shape \(0,\): text .* it should be .*; total variation"):
            assert_exact(rule)


# ---------------------------------------------------------------- a draft that was not drawn from the law it claims


def claiming(q: np.ndarray) -> Rule:
    """Rejection that takes the draft for a sample of `q`, whatever it was drawn from. No `Draft` can be made to say so."""
    return slot(lambda p, _, x: ratio_test(p, np.broadcast_to(q, p.shape), x), lambda p, _, x: residual(p, np.broadcast_to(q, p.shape), x))


def top_two(q):
    best = sorted(range(len(q)), key=lambda token: (-q[token], token))[:2]
    return tuple(q[token] / sum(q[token] for token in best) if token in best else Fraction(0) for token in range(len(q)))


def top_one(q):
    return tuple(Fraction(int(token == q.index(max(q)))) for token in range(len(q)))


@pytest.mark.parametrize(
    ("drawn_from", "distances"),
    [(top_two, (56, 78, 157, 114)), (top_one, (200, 86, 313, 200))],
    ids=["raw q, drawn from its top 2", "soft q, drawn by argmax"],
)
def test_a_draft_law_that_is_not_the_law_sampled_is_seen(drawn_from, distances):
    found = [round_law(claiming(np.array(q, object)), [constant_pair(p, drawn_from(q))], CHAIN).distances[0] for p, q in ROWS.values()]
    assert tuple(map(thousandths, found)) == distances


def test_an_argmax_draft_accepted_with_p_and_a_fresh_draw_on_a_miss_is_seen():
    rule, _ = ONE_TOKEN["accept p(x), a fresh draw from p on a miss"]
    found = [round_law(rule, [constant_pair(p, top_one(q))], CHAIN).distances[0] for p, q in ROWS.values()]
    assert tuple(map(thousandths, found)) == (210, 160, 90, 106)


def test_a_draft_law_at_another_temperature_than_the_draft_is_refused():
    def squared(q):
        return normalise(q * q, otherwise=q)

    rule = slot(lambda p, q, x: ratio_test(p, squared(q), x), lambda p, q, x: residual(p, squared(q), x))
    with pytest.raises(NotExact):
        assert_exact(rule)


# ---------------------------------------------------------------- two drafted tokens at one node


def at_a_node(decide: Callable[..., tuple]) -> Rule:
    """A rule for two leaves from (p, laws of the children, their tokens) -> chances to keep them, and the law after two refusals."""

    @wraps(decide)
    def rule(target_probs: np.ndarray, draft: Draft) -> VerdictLaw:
        first, second, fallback = decide(target_probs[:, 0], draft.laws(target_probs), draft.tokens)

        def correction(kept: np.ndarray) -> np.ndarray:
            refused = indicator(kept == 0, target_probs)[:, None]
            return fallback * refused + pick_row(target_probs, kept) * (1 - refused)

        return VerdictLaw(stack([(1 - first) * (1 - second), first, (1 - first) * second]), correction)

    return rule


def one(p, q, x):
    return ratio_test(p[:, None], q[:, None], x[:, None])[:, 0]


@at_a_node
def target_not_updated(p, q, x):
    return one(p, q[:, 0], x[:, 0]), one(p, q[:, 1], x[:, 1]), residual(p, q[:, 0], x)


@at_a_node
def draft_not_renormalised(p, q, x):
    left = residual(p, q[:, 0], x)
    without_first = q[:, 0] * (1 - one_hot(x[:, 0], p.shape[-1], p))
    return one(p, q[:, 0], x[:, 0]), one(left, without_first, x[:, 1]), residual(left, without_first, x)


@pytest.mark.parametrize(
    ("rule", "tree", "distances"),
    [(target_not_updated, INDEPENDENT, (200, 100, 140, 125)), (draft_not_renormalised, DISTINCT, (0, 33, 43, 36))],
    ids=["p is not updated", "q is not renormalised"],
)
def test_a_fault_between_siblings_is_seen_and_refused(rule, tree, distances):
    found = [round_law(rule, [constant_pair(*rows)], tree).distances[0] for rows in ROWS.values()]
    assert tuple(map(thousandths, found)) == distances
    with pytest.raises(NotExact):
        assert_exact(rule, shapes=[tree])


def test_two_faults_may_have_one_law():
    """So a proof can say that a rule is wrong, not always why."""
    fresh, _ = ONE_TOKEN["fallback from the target"]
    for rows in ROWS.values():
        laws = [round_law(rule, [constant_pair(*rows)], tree) for rule, tree in ((target_not_updated, INDEPENDENT), (fresh, CHAIN))]
        assert (laws[0].observed == laws[1].observed).all()


@at_a_node
def best_of_independent_tests(p, q, x):
    chances = [at(p[:, None], x[:, [child]])[:, 0] for child in (0, 1)]
    return *chances, normalise(p * (1 - one_hot(x[:, 0], p.shape[-1], p)), otherwise=p)


@at_a_node
def one_draw_a_path(p, q, x):
    return *(at(p[:, None], x[:, [child]])[:, 0] for child in (0, 1)), p


@pytest.mark.parametrize(
    ("rule", "distances"),
    [(best_of_independent_tests, (100, 150, 140, 64)), (one_draw_a_path, (220, 180, 196, 152))],
    ids=["independent tests, the best kept", "a draw of the target a path, a fresh one if none matches"],
)
def test_a_fault_on_the_two_likeliest_tokens_of_the_draft_is_seen_and_refused(rule, distances):
    found = []
    for p, q in ROWS.values():
        likeliest = sorted(range(len(q)), key=lambda token: (-q[token], token))[:2]
        draft, target = Draft.fixed([likeliest], vocab=len(p), tree=DISTINCT), np.array([[p] * 3], object)
        law = rule(target, draft)
        out = law.kept[0, 0] * law.correction(np.array([0]))[0]
        out[likeliest] += law.kept[0, 1:]
        found.append(abs(out - np.array(p, object)).sum() / 2)
    assert tuple(map(thousandths, found)) == distances
    with pytest.raises(NotExact):
        assert_exact(rule, shapes=[DISTINCT], any_draft=True)


# ---------------------------------------------------------------- longer drafts, and what must pass


def stop_at_the_next_row(target_probs, draft):
    """The residual is taken with the draft row of the next slot."""
    law = rejection(target_probs, draft)
    q, _ = chain_laws(target_probs, draft, rule="a fault")

    def correction(kept: np.ndarray) -> np.ndarray:
        p_kept = pick_row(target_probs, kept)
        return normalise((p_kept - pick_row(q, np.minimum(kept + 1, draft.tree.width))).clip(min=0), otherwise=p_kept)

    return VerdictLaw(law.kept, correction)


def one_coin_for_all(target_probs, draft):
    """Every slot is tested on the same coin, so the chain is kept up to the least chance so far."""
    q, x = chain_laws(target_probs, draft, rule="a fault")
    accept = ratio(at(target_probs, x), at(q, x)).clip(max=1)
    least = [accept[:, 0] * 0 + 1]
    for place in range(accept.shape[1]):
        least.append(np.minimum(least[-1], accept[:, place]))
    return VerdictLaw(stack([least[n] - least[n + 1] for n in range(accept.shape[1])]), rejection(target_probs, draft).correction)


def bonus_from_the_row_before(target_probs, draft):
    law = rejection(target_probs, draft)
    width = draft.tree.width

    def correction(kept: np.ndarray) -> np.ndarray:
        last = indicator(kept == width, target_probs)[:, None]
        return target_probs[:, width - 1] * last + law.correction(kept) * (1 - last)

    return VerdictLaw(law.kept, correction)


def last_acceptance(target_probs, draft):
    """The longest prefix whose last token passed its own test: block verification without the weights."""
    q, x = chain_laws(target_probs, draft, rule="a fault")
    accept = ratio(at(target_probs, x), at(q, x)).clip(max=1)
    left, kept = accept[:, 0] * 0 + 1, []
    for place in reversed(range(draft.tree.width)):
        kept.append(left * accept[:, place])
        left = left * (1 - accept[:, place])
    return VerdictLaw(stack([left, *reversed(kept)]), rejection(target_probs, draft).correction)


@pytest.mark.parametrize("rule", [stop_at_the_next_row, one_coin_for_all, bonus_from_the_row_before, last_acceptance])
def test_a_fault_between_positions_is_refused(rule):
    with pytest.raises(NotExact, match=rule.__name__):
        assert_exact(rule, shapes=[Tree.chain(2)])


@pytest.mark.parametrize("rule", [stop_at_the_next_row, one_coin_for_all, bonus_from_the_row_before])
def test_and_hides_where_the_laws_ignore_their_context_or_the_first_token_alone_is_looked_at(rule):
    found = round_law(rule, [constant_pair(*ROWS["F4"])], Tree.chain(2))
    first_tokens = found.observed.sum((-1, -2))[0]
    assert first_tokens.tolist() == list(ROWS["F4"][0])


@pytest.mark.parametrize(
    ("rule", "shapes", "any_draft"),
    [
        (rejection, [CHAIN, Tree.chain(2)], False),
        (recursive, [INDEPENDENT, DISTINCT], False),
        (match, [CHAIN, INDEPENDENT, DISTINCT], True),
        (slot(lambda p, q, x: at(p, x), lambda p, q, x: normalise(p * (1 - one_hot(x, p.shape[-1], p)), otherwise=p)), [CHAIN], True),
    ],
    ids=["rejection", "several candidates", "match", "a sample taken for a point mass"],
)
def test_what_looks_wrong_and_is_not_passes(rule, shapes, any_draft):
    assert_exact(rule, shapes=shapes, any_draft=any_draft)
