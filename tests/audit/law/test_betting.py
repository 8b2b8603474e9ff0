"""Bets are fair, or worse, whatever the truth of which they are a test; and what is excluded is an end, not a hole."""

from itertools import product

import numpy as np
import pytest

from draftproof.audit.law.betting import LOG_STAKES, SHARES, STAKES, Capital, e_bh, log_mean, log_payoffs, log_sum
from draftproof.audit.law.scoring import Scores, likelier

VOCAB = 5
TRUTHS = [0.0, 0.02, 0.3, 0.9, 1.0]


def laws(number: int) -> tuple[np.ndarray, np.ndarray]:
    """p and a: with tokens that one of them or both forbid, and rare ones."""
    random = np.random.default_rng(number)
    p, a = random.gamma(0.4, size=(2, VOCAB))
    if number % 3 == 1:
        p[0] = 0
    if number % 3 == 2:
        a[1] = p[2] = a[2] = 0
    return p / p.sum(), a / a.sum()


def every_token(p: np.ndarray, a: np.ndarray, band: float = 0.0) -> Scores:
    """The score of each token of one row."""
    ratios = likelier(a[None], p[None], band)[0]
    return Scores(ratios, np.full(VOCAB, ratios.max()))


def least_favourable(p: np.ndarray, payoffs: np.ndarray, band: float) -> np.ndarray:
    """Of all laws up to a total variation away from p the one with the largest mean payoff: mass goes from the least to the most."""
    worst, left = p.copy(), band
    for token in np.argsort(payoffs):
        moved = min(left, worst[token])
        worst[token] -= moved
        worst[np.argmax(payoffs)] += moved
        left -= moved
    return worst


def test_the_stakes_are_all_of_the_capital() -> None:
    assert sum(STAKES.values()) == pytest.approx(1)


@pytest.mark.parametrize("number", range(12))
def test_no_bet_wins_on_average_under_the_target(number: int) -> None:
    p, a = laws(number)
    with np.errstate(invalid="ignore"):
        means = (p * np.exp(log_payoffs(every_token(p, a), 0.0, 0.0))).sum(-1)
    assert (means <= 1 + 1e-12).all()
    if not (a[p == 0] > 0).any():
        np.testing.assert_allclose(means, 1)


def test_the_whole_capital_is_fair_over_every_text() -> None:
    """Two rows, every text of two tokens, the capital as it is kept."""
    (p, a), (q, b) = laws(0), laws(3)
    mean = 0.0
    for first, second in product(range(VOCAB), repeat=2):
        capital = Capital()
        for (target, law), token in (((p, a), first), ((q, b), second)):
            every = every_token(target, law)
            capital.add(Scores(every.ratios[[token]], every.largest[[token]]), [1])
        mean += p[first] * q[second] * np.exp(capital.log_e)
    assert mean == pytest.approx(1)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("number", range(6))
def test_no_bet_wins_on_average_under_the_share_that_it_is_against(number: int, truth: float) -> None:
    p, a = laws(number)
    emitted, scores = (1 - truth) * p + truth * a, every_token(p, a)
    with np.errstate(invalid="ignore"):
        paid = np.exp(log_payoffs(scores, truth, 0.0))[truth != SHARES]
    assert (paid[:, emitted > 0] @ emitted[emitted > 0] <= 1 + 1e-9).all()


@pytest.mark.parametrize("number", range(6))
def test_a_larger_leak_makes_the_bets_below_lose(number: int) -> None:
    """So what is too large is too large for a share that changes from token to token."""
    p, a = laws(number)
    for share, truth in ((0.02, 0.05), (0.1, 1.0), (0.3, 0.4)):
        emitted, below = (1 - truth) * p + truth * a, share > SHARES
        paid = np.exp(log_payoffs(every_token(p, a), share, 0.0)[below])
        assert ((emitted * paid).sum(-1) <= 1 + 1e-9).all()


@pytest.mark.parametrize("band", [1e-5, 1e-3, 0.03])
@pytest.mark.parametrize("number", range(6))
def test_with_a_band_no_bet_wins_under_any_law_within_it(number: int, band: float) -> None:
    p, a = laws(number)
    for paid in np.exp(log_payoffs(every_token(p, a, band), 0.0, band)):
        assert least_favourable(p, paid, band) @ paid <= 1 + 1e-12


def test_without_the_allowance_for_a_band_a_bet_would_win() -> None:
    """The check above can fail."""
    p, a = laws(0)
    paid = np.exp(log_payoffs(every_token(p, a, 0.03), 0.0, 0.0))
    assert max(least_favourable(p, each, 0.03) @ each for each in paid) > 1.01


@pytest.mark.parametrize("band", [1e-5, 1e-3, 0.03])
@pytest.mark.parametrize("number", range(6))
def test_with_a_band_the_bets_below_a_leak_lose_however_the_suspect_was_cut(number: int, band: float) -> None:
    p, a = laws(number)
    for truth in (0.05, 0.3, 1.0):
        for paid in np.exp(log_payoffs(every_token(p, a, band), truth, band)[truth > SHARES]):
            emitted = (1 - truth) * least_favourable(p, paid, band) + truth * a
            assert paid[emitted > 0] @ emitted[emitted > 0] <= 1 + 1e-9


def filled(truth: float, tokens: int, *, seed: int = 0, band: float = 0.0) -> Capital:
    """The capital after tokens of which this share came from the suspect."""
    random, capital = np.random.default_rng(seed), Capital(band)
    p, a = random.dirichlet(np.ones(VOCAB), size=(2, tokens))
    emitted = (1 - truth) * p + truth * a
    chosen = (emitted.cumsum(-1) < random.random((tokens, 1))).sum(-1).clip(max=VOCAB - 1)
    ratios = likelier(a, p, band)
    capital.add(Scores(ratios[np.arange(tokens), chosen], ratios.max(-1)), [tokens])
    return capital


@pytest.mark.parametrize("truth", [0.0, 0.02, 0.1, 0.5, 1.0])
def test_the_interval_is_what_a_fine_scan_finds(truth: float) -> None:
    capital = filled(truth, 3000)
    interval = capital.interval(0.01)
    assert interval is not None
    scanned = [
        share for share in np.linspace(0, 1, 501) if not capital.too_large(float(share), 0.01) and not capital.too_small(float(share), 0.01)
    ]
    assert max(interval[0], 0) == pytest.approx(min(scanned), abs=0.003)
    assert interval[1] == pytest.approx(max(scanned), abs=0.003)
    assert interval[0] <= truth <= interval[1]


def test_a_narrow_interval_between_two_bets_is_found() -> None:
    interval = filled(0.15, 60_000).interval(0.05)
    assert interval is not None
    assert 0.09 < interval[0] < 0.15 < interval[1] < 0.21


def test_the_shares_that_are_too_large_are_all_beyond_one_point() -> None:
    capital = filled(0.2, 2000)
    excluded = [capital.too_large(float(share), 0.05) for share in np.linspace(0, 1, 101)]
    assert excluded == sorted(excluded)
    assert any(excluded)


def test_a_leak_is_too_small_for_no_share_beyond_it_and_refutes_zero() -> None:
    capital = filled(0.5, 2000)
    assert capital.log_e > np.log(1000)
    assert capital.too_small(0.0, 1e-3)
    assert not capital.too_large(0.0, 1e-3)
    assert capital.share == 0.5


def test_a_fault_in_another_direction_leaves_no_share() -> None:
    """Tokens that the suspect forbids come far too often, but rows with a likely suspect allow no negative share of it."""
    capital = Capital()
    capital.add(Scores(np.tile([0.0, 1.0], 200), np.tile([2.0, 100.0], 200)), [400])
    assert capital.lowest == pytest.approx(-0.01)
    assert capital.interval(0.01) is None


def test_a_token_that_the_suspect_forbids_excludes_that_all_comes_from_it() -> None:
    capital = Capital()
    capital.add(Scores(np.array([0.0]), np.array([2.0])), [1])
    assert capital.too_large(1.0, 1e-6)
    assert np.isneginf(capital.log_wealth[SHARES == 1.0])
    assert np.isfinite(capital.log_e)


def test_nothing_is_known_before_the_first_token() -> None:
    capital = Capital()
    assert capital.log_e == pytest.approx(0)
    assert capital.interval(0.01) == (0.0, 1.0)
    assert capital.share == 0.0


@pytest.mark.parametrize("band", [0.0, 1e-3])
def test_texts_can_be_added_one_by_one_or_together(band: float) -> None:
    random = np.random.default_rng(0)
    ratios = random.gamma(1, size=12)
    largest, lengths = ratios + random.random(12), [3, 1, 5, 3]
    together, single = Capital(band), Capital(band)
    together.add(Scores(ratios, largest), lengths)
    for start, length in zip(np.cumsum([0, *lengths[:-1]]), lengths, strict=True):
        single.add(Scores(ratios[start : start + length], largest[start : start + length]), [length])
    np.testing.assert_allclose(together.log_wealth, single.log_wealth)
    np.testing.assert_allclose(together.growth, single.growth)
    assert together.growth[-1] == (12, pytest.approx(together.log_e))
    assert together.interval(0.05) == pytest.approx(single.interval(0.05))


def test_alarms_are_as_rare_as_they_should_be() -> None:
    """Looked at after every token of 400 series of the target's own."""
    highest = []
    for seed in range(400):
        random = np.random.default_rng(seed)
        p, a = random.dirichlet(np.ones(VOCAB), size=(2, 200))
        chosen = (p.cumsum(-1) < random.random((200, 1))).sum(-1).clip(max=VOCAB - 1)
        ratios, capital = likelier(a, p), Capital()
        capital.add(Scores(ratios[np.arange(200), chosen], ratios.max(-1)), [1] * 200)
        highest.append(max(log_e for _, log_e in capital.growth))
    assert np.mean(np.array(highest) > np.log(10)) < 0.1
    assert max(highest) > np.log(2)


def test_logarithms_of_sums() -> None:
    assert log_sum(np.array([-np.inf, np.log(2), np.log(3)])) == pytest.approx(np.log(5))
    assert log_sum(np.array([-np.inf, -np.inf])) == -np.inf
    assert log_sum(np.array([])) == -np.inf
    assert log_sum(np.array([0.0, np.inf])) == np.inf
    assert log_mean([1000.0, 1000.0]) == pytest.approx(1000)
    assert log_mean([-np.inf, 0.0]) == pytest.approx(np.log(0.5))
    assert log_sum(LOG_STAKES) == pytest.approx(0)


@pytest.mark.parametrize(
    ("e_values", "rejected"),
    [
        ((16, 20, 5), [0, 1]),  # two of three are at least 3 / (0.1 * 2) = 15
        ((16, 5, 5), []),  # one alone must be at least 30
        ((5, 31, 5), [1]),
        ((10, 10, 10), [0, 1, 2]),  # three must be at least 10
        ((9.9, 10, 10), []),
        ((), []),
    ],
)
def test_e_bh_on_cases_worked_by_hand(e_values: tuple[float, ...], rejected: list[int]) -> None:
    assert e_bh([float(np.log(value) + 1e-12) for value in e_values], 0.1) == rejected
