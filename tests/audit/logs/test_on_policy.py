"""The gate: right as often as it says, and not more certain than its tokens allow."""

from math import inf, log

import numpy as np
import pytest

from draftproof.audit.logs.divergences import Level
from draftproof.audit.logs.on_policy import ALPHA, RATES, gate, interval, needed, sequence_distances, token_distances
from draftproof.audit.logs.rollouts import Rollouts
from draftproof.errors import BadRequest

VOCAB = 6


def laws(share: float) -> tuple[np.ndarray, np.ndarray]:
    """(last token, vocab) of an engine that follows another law for a share of its tokens after odd ones, and of the reference."""
    numbers = np.random.default_rng(1)
    reference, other = numbers.dirichlet(np.ones(VOCAB), (2, VOCAB))
    other[::2] = reference[::2]
    return (1 - share) * reference + share * other, reference


def variation(engine: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(last token,), the total variation of the two laws there."""
    return np.abs(engine - reference).sum(-1) / 2


def drawn(engine: np.ndarray, reference: np.ndarray, *, texts: int, length: int, seed: int) -> tuple[Rollouts, float]:
    """Rollouts of the engine, and the mean total variation where they went."""
    numbers = np.random.default_rng(seed)
    last = np.zeros(texts, np.int64)
    rows, met = [], []
    for _ in range(length):
        token = (numbers.random(texts)[:, None] > engine[last].cumsum(-1)).sum(-1).clip(max=VOCAB - 1)
        rows.append((np.log(engine[last, token]), np.log(reference[last, token])))
        met.append(variation(engine, reference)[last].mean())
        last = token
    return Rollouts(*np.moveaxis(np.array(rows), 0, -1)), float(np.mean(met))


@pytest.mark.parametrize("share", [0.0, 1e-4, 2e-3])
def test_an_engine_within_the_tolerance_is_on_policy(share: float) -> None:
    found = gate(drawn(*laws(share), texts=100, length=50, seed=2)[0])
    assert found.on_policy is True
    assert found.low <= found.distance <= found.high <= found.tolerance
    assert found.count == 5000
    assert found.reason.endswith("within 0.01")


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_an_engine_beyond_the_tolerance_is_not(share: float) -> None:
    found = gate(drawn(*laws(share), texts=100, length=50, seed=2)[0])
    assert found.on_policy is False
    assert found.tolerance < found.low <= found.distance <= found.high
    assert "above 0.01" in found.reason


def test_where_too_little_was_seen_it_does_not_say() -> None:
    for share, tolerance in ((0.0, 0.01), (0.2, 0.02)):
        found = gate(drawn(*laws(share), texts=10, length=20, seed=2)[0], tolerance=tolerance)
        assert found.on_policy is None
        assert found.low <= tolerance < found.high
        assert f"give more rollouts, never fewer than {needed(tolerance)} tokens" in found.reason


def test_without_rollouts_it_does_not_say() -> None:
    for rollouts in (Rollouts([], []), Rollouts([[]], [[]])):
        found = gate(rollouts)
        assert (found.on_policy, found.distance, found.low, found.high, found.count) == (None, 0.0, 0.0, 1.0, 0)


@pytest.mark.parametrize("tolerance", [0.01, 0.2])
def test_perfect_agreement_passes_from_the_promised_number_of_tokens_on(tolerance: float) -> None:
    rows = [[-1.0] * needed(tolerance)]
    assert gate(Rollouts(rows, rows), tolerance=tolerance).on_policy is True
    rows = [rows[0][1:]]
    assert gate(Rollouts(rows, rows), tolerance=tolerance).on_policy is None


def test_the_distance_of_a_token_has_the_total_variation_for_its_mean() -> None:
    engine, reference = laws(0.5)
    rollouts = Rollouts([np.log(engine[1])], [np.log(reference[1])])
    assert engine[1] @ token_distances(rollouts) == pytest.approx(variation(engine, reference)[1])


def test_the_distance_of_a_text_has_the_total_variation_of_texts_for_its_mean() -> None:
    engine, reference = laws(0.5)
    pairs = [(one, two) for one in range(VOCAB) for two in range(VOCAB)]
    mu, pi = (np.array([[law[0, one], law[one, two]] for one, two in pairs]) for law in (engine, reference))
    assert mu.prod(-1) @ sequence_distances(Rollouts(np.log(mu), np.log(pi))) == pytest.approx(np.abs(mu.prod(-1) - pi.prod(-1)).sum() / 2)


def test_a_token_that_the_reference_forbids_is_all_that_a_token_can_differ() -> None:
    rollouts = Rollouts([[-1.0, -1.0], [-1.0], []], [[-inf, 0.0], [-1.0 + log(0.75)], []])
    assert token_distances(rollouts).tolist() == pytest.approx([1, 0, 0.25])
    assert sequence_distances(rollouts).tolist() == pytest.approx([1, 0.25])


def test_forbidden_tokens_count_as_often_as_they_come() -> None:
    engine = np.full(20_000, -1.0)
    seldom, often = engine.copy(), engine.copy()
    seldom[::2000] = -inf
    often[::20] = -inf
    assert gate(Rollouts([engine], [seldom])).on_policy is True
    assert gate(Rollouts([engine], [often])).on_policy is False


def test_an_engine_that_contradicts_itself_is_not_on_policy() -> None:
    row = np.full(20_000, -1.0)
    contradiction = row.copy()
    contradiction[7] = -9999.0
    for reference in (row, contradiction):
        found = gate(Rollouts([contradiction], [reference]))
        assert found.on_policy is False
        assert found.reason.startswith("1 of 20000 emitted tokens are impossible by the engine's own account")
        assert gate(Rollouts([contradiction], [reference]), level=Level.SEQUENCE).on_policy is False


def test_texts_differ_more_than_their_tokens() -> None:
    rollouts, distance = drawn(*laws(0.02), texts=2000, length=50, seed=3)
    tokens, texts = gate(rollouts), gate(rollouts, level=Level.SEQUENCE)
    assert tokens.on_policy is True
    assert texts.on_policy is False
    assert tokens.high < texts.low < texts.distance < 50 * distance
    assert texts.count == 2000


@pytest.mark.parametrize(
    ("tolerance", "alpha", "name"), [(0.0, 0.1, "tolerance"), (1.0, 0.1, "tolerance"), (0.1, 0.0, "alpha"), (0.1, 1.5, "alpha")]
)
def test_a_tolerance_and_an_error_rate_lie_between_0_and_1(tolerance: float, alpha: float, name: str) -> None:
    with pytest.raises(BadRequest, match=f"^{name} is .*; it must be above 0 and below 1"):
        gate(Rollouts([], []), tolerance=tolerance, alpha=alpha)


def test_the_inequality_behind_the_interval_holds() -> None:
    x = np.linspace(-1, 3, 4001)
    for rate in RATES:
        psi = -np.log1p(-rate) - rate
        assert (np.exp(rate * x - psi * x**2) <= 1 + rate * x + 1e-12).all()
        assert (np.exp(rate * x - 0.9 * psi * x**2) > 1 + rate * x).any()


def test_intervals_miss_no_more_often_than_is_stated_although_tokens_of_a_text_depend_on_each_other() -> None:
    alpha, missed, widths = 0.2, 0, []
    for seed in range(400):
        rollouts, distance = drawn(*laws(0.8), texts=2, length=100, seed=seed)
        low, high = interval(token_distances(rollouts), alpha)
        missed += not low <= distance <= high
        widths.append(high - low)
    assert missed <= alpha * 400
    assert np.mean(widths) < 0.3


def test_an_interval_that_ignored_how_little_was_seen_would_miss() -> None:
    missed = 0
    for seed in range(200):
        rollouts, distance = drawn(*laws(0.8), texts=2, length=100, seed=seed)
        values = token_distances(rollouts)
        low, high = interval(values, 0.2)
        missed += not abs(values.mean() - distance) <= (high - low) / 20
    assert missed > 0.2 * 200


def test_one_may_look_at_every_token_and_stop() -> None:
    """Rare large distances, watched to the first moment at which the interval misses."""
    numbers, alpha, chance, missed = np.random.default_rng(6), 0.2, 0.02, 0
    for _ in range(60):
        values = (numbers.random(800) < chance).astype(float)
        missed += any(not low <= chance <= high for low, high in (interval(values[:seen], alpha) for seen in range(20, 801, 20)))
    assert missed <= alpha * 60


def test_an_interval_narrows_like_that_of_a_normal_law_where_there_is_much() -> None:
    values = np.random.default_rng(7).random(200_000) * 0.1
    low, high = interval(values, ALPHA)
    normal = 2 * 3.29 * values.std() / np.sqrt(len(values))
    assert low < 0.05 < high
    assert normal < high - low < 2 * normal


def test_probabilities_that_are_too_small_to_be_a_law_are_found() -> None:
    rollouts = drawn(*laws(0.0), texts=20, length=50, seed=3)[0]
    shrunk = Rollouts([row - 0.3 for row in rollouts.engine], rollouts.reference)
    assert gate(rollouts, tolerance=0.5).on_policy is True
    found = gate(shrunk, tolerance=0.5)
    assert found.on_policy is False
    assert "too small to be a law" in found.reason
