"""Figures of rollouts against exact divergences: the mean over every text, each as often as its probability says, is the truth itself."""

from fractions import Fraction
from itertools import product
from math import exp, inf, lcm, log

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import bootstrap, entropy, sem

from draftproof.audit.logs.divergences import (
    FIGURES,
    Estimate,
    Figure,
    chi2_sequence,
    chi2_token,
    effective_sequences,
    effective_tokens,
    figures,
    k1,
    k3,
    largest_difference,
    log_perplexity,
    renyi2_sequence,
    share_truncated_sequence,
    share_truncated_token,
    truncated_sequence,
    truncated_token,
)
from draftproof.audit.logs.rollouts import Rollouts

Law = tuple[Fraction, ...]
HALF, THIRD, SIXTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)

ENGINE: dict[int | None, Law] = {None: (HALF, THIRD, SIXTH), 0: (SIXTH, THIRD, HALF), 1: (THIRD, THIRD, THIRD), 2: (HALF, SIXTH, THIRD)}
REFERENCE: dict[int | None, Law] = {
    None: (THIRD, HALF, SIXTH),
    0: (SIXTH, HALF, THIRD),
    1: (Fraction(5, 6), Fraction(1, 12), Fraction(1, 12)),
    2: (HALF, SIXTH, THIRD),
}
"""After nothing, and after each token."""


def everything(engine: dict[int | None, Law], reference: dict[int | None, Law], length: int) -> Rollouts:
    """Every text of this length, each as often as the engine emits it."""
    texts = []
    for tokens in product(range(3), repeat=length):
        pairs = [(engine[before][token], reference[before][token]) for before, token in zip((None, *tokens), tokens, strict=False)]
        texts.append((Fraction(np.prod([mu for mu, _ in pairs])), pairs))
    common = lcm(*(chance.denominator for chance, _ in texts))
    rows = [pairs for chance, pairs in texts for _ in range(int(chance * common))]
    return Rollouts(*([[log(pair[side]) if pair[side] else -inf for pair in pairs] for pairs in rows] for side in (0, 1)))


def weights(length: int) -> list[tuple[Fraction, list[Fraction]]]:
    """The probability of each text, and the weight of each of its tokens."""
    found = []
    for tokens in product(range(3), repeat=length):
        places = list(zip((None, *tokens), tokens, strict=False))
        chance = Fraction(np.prod([ENGINE[before][token] for before, token in places]))
        found.append((chance, [REFERENCE[before][token] / ENGINE[before][token] for before, token in places]))
    return found


def text_weight(ratios: list[Fraction]) -> Fraction:
    return Fraction(np.prod(ratios))


EXACT = {
    "kl_k1": sum(chance * -log(ratio) / 2 for chance, ratios in weights(2) for ratio in ratios),
    "kl_k3": sum(chance * -log(ratio) / 2 for chance, ratios in weights(2) for ratio in ratios),
    "chi2_token": sum(chance * ratio**2 / 2 for chance, ratios in weights(2) for ratio in ratios) - 1,
    "chi2_sequence": sum(chance * text_weight(ratios) ** 2 for chance, ratios in weights(2)) - 1,
    "renyi2_sequence": log(sum(chance * text_weight(ratios) ** 2 for chance, ratios in weights(2))),
    "log_perplexity_difference": sum(chance * -log(text_weight(ratios)) / 2 for chance, ratios in weights(2)),
    "effective_share_token": 1 / sum(chance * ratio**2 / 2 for chance, ratios in weights(2) for ratio in ratios),
    "effective_share_sequence": 1 / sum(chance * text_weight(ratios) ** 2 for chance, ratios in weights(2)),
    "weight_truncated_token": sum(chance * min(ratio, Fraction(2)) / 2 for chance, ratios in weights(2) for ratio in ratios),
    "weight_truncated_sequence": sum(chance * min(text_weight(ratios), Fraction(2)) for chance, ratios in weights(2)),
    "share_truncated_token": sum(chance / 2 for chance, ratios in weights(2) for ratio in ratios if ratio > 2),
    "share_truncated_sequence": sum(chance for chance, ratios in weights(2) if text_weight(ratios) > 2),
    "largest_difference": log(4),
}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_over_all_texts_each_figure_is_the_exact_one(figure: Figure) -> None:
    assert float(EXACT[figure.name]) > 0
    assert figure.of(everything(ENGINE, REFERENCE, 2)).value == pytest.approx(float(EXACT[figure.name]), rel=1e-12)


def test_figures_of_one_token_are_the_divergences_of_two_laws() -> None:
    rollouts, mu, pi = everything(ENGINE, REFERENCE, 1), ENGINE[None], REFERENCE[None]
    kl = entropy([float(share) for share in mu], [float(share) for share in pi])
    chi2 = sum(two**2 / one for one, two in zip(mu, pi, strict=True)) - 1
    assert k1(rollouts).value == pytest.approx(kl)
    assert k3(rollouts).value == pytest.approx(kl)
    assert chi2 == Fraction(5, 36)
    assert chi2_token(rollouts).value == pytest.approx(float(chi2))
    assert chi2_sequence(rollouts).value == pytest.approx(float(chi2))


def test_the_direction_is_from_the_engine_to_the_reference() -> None:
    back = everything(REFERENCE, ENGINE, 2)
    assert k1(back).value != pytest.approx(EXACT["kl_k1"], rel=1e-3)
    assert chi2_sequence(back).value != pytest.approx(float(EXACT["chi2_sequence"]), rel=1e-3)


def test_equal_laws_differ_by_nothing() -> None:
    found = figures(everything(ENGINE, ENGINE, 2))
    ones = {"effective_share_token", "effective_share_sequence", "weight_truncated_token", "weight_truncated_sequence"}
    assert {name for name, estimate in found.items() if estimate.value == pytest.approx(1)} == ones
    assert {name for name, estimate in found.items() if estimate.value == pytest.approx(0, abs=1e-15)} == set(found) - ones


def test_k3_lacks_what_the_reference_alone_can_emit() -> None:
    engine: dict[int | None, Law] = {None: (HALF, HALF, Fraction(0))}
    rollouts = everything(engine, REFERENCE, 1)
    kl = entropy([0.5, 0.5, 0], [float(share) for share in REFERENCE[None]])
    assert k1(rollouts).value == pytest.approx(kl)
    assert k3(rollouts).value == pytest.approx(kl - 1 / 6)


def test_tokens_that_are_impossible_are_in_no_mean_over_tokens_and_their_texts_in_none_over_texts() -> None:
    clean = Rollouts([[-1.0, -2.0], [-1.0]], [[-1.5, -1.0], [-1.25]])
    mixed = Rollouts([[-1.0, -2.0], [-1.0, -0.5], [], [-inf]], [[-1.5, -1.0], [-1.25, -inf], [], [-1.0]])
    assert k1(mixed).value == k1(clean).value == pytest.approx((0.5 - 1.0 + 0.25) / 3)
    assert largest_difference(mixed).value == 1.0
    assert log_perplexity(mixed).value == pytest.approx(-0.25)
    assert chi2_sequence(mixed).value == pytest.approx(exp(1.0) - 1)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_where_there_is_nothing_nothing_is_estimated(figure: Figure) -> None:
    for rollouts in (Rollouts([], []), Rollouts([[]], [[]]), Rollouts([[-inf]], [[-1.0]])):
        assert figure.of(rollouts) == Estimate(None, None)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_one_text_has_no_standard_error(figure: Figure) -> None:
    estimate = figure.of(Rollouts([[-1.0, -2.0]], [[-1.5, -1.0]]))
    assert estimate.value is not None
    assert estimate.standard_error is None


def drifting(texts: int, length: int, scatter: float) -> Rollouts:
    """Differences that the tokens of a text have in common."""
    numbers = np.random.default_rng(5)
    lengths = numbers.integers(1, length + 1, texts)
    engine = [np.full(count, -3.0) for count in lengths]
    common = numbers.normal(0, scatter, texts)
    return Rollouts(engine, [row + one + numbers.normal(0, 0.1, len(row)) for row, one in zip(engine, common, strict=True)])


def test_a_standard_error_over_tokens_is_that_of_resampled_texts() -> None:
    rollouts = drifting(400, 30, 0.3)
    sums = np.bincount(rollouts.owner, -rollouts.log_weights)
    lengths = rollouts.lengths.astype(float)

    def ratio(totals: np.ndarray, counts: np.ndarray, axis: int) -> np.ndarray:
        return totals.sum(axis) / counts.sum(axis)

    resampled = bootstrap((sums, lengths), ratio, paired=True, n_resamples=3000, method="percentile", rng=np.random.default_rng(1))
    estimate = k1(rollouts)
    assert estimate.value == pytest.approx(sums.sum() / lengths.sum())
    assert estimate.standard_error == pytest.approx(resampled.standard_error, rel=0.05)
    assert estimate.standard_error > 2.5 * sem(-rollouts.log_weights)  # what tokens that were independent would have


def test_a_standard_error_over_texts_is_the_usual_one() -> None:
    rollouts = drifting(300, 20, 0.05)
    assert log_perplexity(rollouts).standard_error == pytest.approx(sem(rollouts.sequence_log_weights / rollouts.sequence_lengths))
    squares = np.exp(2 * rollouts.sequence_log_weights)
    assert chi2_sequence(rollouts).value == pytest.approx(squares.mean() - 1)
    assert chi2_sequence(rollouts).standard_error == pytest.approx(sem(squares))
    assert renyi2_sequence(rollouts).standard_error == pytest.approx(sem(squares) / squares.mean())
    assert truncated_sequence(rollouts).standard_error == pytest.approx(sem(np.minimum(np.sqrt(squares), 2)))


def test_texts_of_one_token_have_one_standard_error_at_both_levels() -> None:
    rollouts = Rollouts(*np.random.default_rng(2).uniform(-2, -1, (2, 50, 1)))
    assert k1(rollouts) == pytest.approx(log_perplexity(rollouts))
    assert chi2_token(rollouts) == pytest.approx(chi2_sequence(rollouts))
    assert truncated_token(rollouts) == pytest.approx(truncated_sequence(rollouts))
    assert share_truncated_token(rollouts) == pytest.approx(share_truncated_sequence(rollouts))
    assert effective_tokens(rollouts).value == pytest.approx(effective_sequences(rollouts).value)


def test_figures_of_long_texts_overflow_to_infinity_and_their_logarithms_do_not() -> None:
    log_weights = [900.0, -4000.0, 100.0]
    rollouts = Rollouts([np.full(5000, -1.0)] * 3, [np.full(5000, -1.0 + weight / 5000) for weight in log_weights])
    assert chi2_sequence(rollouts) == Estimate(inf, inf)
    assert renyi2_sequence(rollouts).value == pytest.approx(logsumexp(2 * np.array(log_weights)) - log(3))
    assert renyi2_sequence(rollouts).standard_error == pytest.approx(1.0)  # one text is everything
    assert effective_sequences(rollouts).value == pytest.approx(1 / 3)
    assert truncated_sequence(rollouts).value == pytest.approx(4 / 3)
    assert share_truncated_sequence(rollouts).value == pytest.approx(2 / 3)
    assert all(estimate.value is not None and not np.isnan(estimate.value) for estimate in figures(rollouts).values())


def test_what_overflows_on_the_way_alone_does_not_overflow() -> None:
    texts = 10_000
    rollouts = Rollouts([[-356.0]] + [[-1.0]] * (texts - 1), [[0.0]] + [[-400.0]] * (texts - 1))  # exp(712) is no float64
    assert chi2_sequence(rollouts).value == pytest.approx(exp(712 - log(texts)))
    assert chi2_token(rollouts).value == pytest.approx(exp(712 - log(texts)))


def test_a_single_token_that_outweighs_all_floats_is_infinity() -> None:
    rollouts = Rollouts([[-744.0], [-1.0]], [[0.0], [-1.0]])
    assert k3(rollouts) == Estimate(inf, None)
    assert chi2_token(rollouts) == Estimate(inf, inf)
    assert k1(rollouts).value == pytest.approx(-372)


def test_weights_that_all_vanish_leave_no_nan() -> None:
    rollouts = Rollouts([np.full(100, -1.0)] * 2, [np.full(100, -700.0)] * 2)
    assert chi2_sequence(rollouts) == Estimate(-1.0, 0.0)
    assert renyi2_sequence(rollouts).value == pytest.approx(-2 * 69_900)
    assert truncated_sequence(rollouts) == Estimate(0.0, 0.0)
    assert effective_sequences(rollouts).value == 1.0


def test_nine_in_ten_intervals_of_two_standard_errors_hold_the_truth() -> None:
    numbers, truth, held = np.random.default_rng(3), float(EXACT["kl_k1"]), {"kl_k1": 0, "kl_k3": 0, "log_perplexity_difference": 0}
    everywhere = everything(ENGINE, REFERENCE, 2)
    pairs = np.array(everywhere.engine), np.array(everywhere.reference)
    for _ in range(200):
        drawn = numbers.integers(0, len(pairs[0]), 300)
        rollouts = Rollouts(pairs[0][drawn], pairs[1][drawn])
        for figure in FIGURES:
            if figure.name in held:
                value, error = figure.of(rollouts)
                assert value is not None
                assert error is not None
                held[figure.name] += abs(value - truth) <= 2 * error
    assert all(count >= 180 for count in held.values()), held
    assert all(count < 200 for count in held.values()), held
