"""Every cut on a row whose answer is known by hand; random rows are in test_transformers and test_dialects."""

import math

import numpy as np
import pytest

from draftproof.sampling.cuts import Epsilon, Eta, MinP, TopK, TopNSigma, TopP, Typical, entropy
from draftproof.sampling.tail import Ties
from draftproof.sampling.transform import Cut

HALVES = np.log(np.array([[0.0625, 0.5, 0.125, 0.25, 0.0625]], np.float32))
LOW, HIGH, ALL = Ties.LOW_IDS_STAY, Ties.HIGH_IDS_STAY, Ties.ALL_STAY


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        (TopK(1, ALL), {1}),
        (TopK(4, ALL), {0, 1, 2, 3, 4}),
        (TopK(4, LOW), {0, 1, 2, 3}),
        (TopK(9, LOW), {0, 1, 2, 3, 4}),
        (TopP(0.5, HIGH), {1}),
        (TopP(0.51, HIGH), {1, 3}),
        (TopP(0.9, HIGH), {1, 2, 3, 4}),
        (TopP(0.9, LOW), {0, 1, 2, 3}),
        (TopP(1e-6, LOW), {1}),
        (MinP(0.25), {1, 2, 3}),
        (MinP(1.0), {1}),
        (Epsilon(0.125), {1, 2, 3}),
        (Epsilon(0.9), {1}),
        (Eta(0.5), {1, 3}),
        (Eta(1e-4), {0, 1, 2, 3, 4}),
    ],
    ids=str,
)
def test_what_stays_of_halves(cut: Cut, kept: set[int]) -> None:
    assert set(np.flatnonzero(cut.keep(HALVES, [None])[0]).tolist()) == kept


def test_rows_are_cut_one_by_one() -> None:
    rows = np.concatenate([HALVES, HALVES[:, ::-1]])
    for cut in (TopK(2, ALL), TopP(0.6, LOW), MinP(0.3), Epsilon(0.2), Eta(0.9), Typical(0.3, ALL, False), TopNSigma(1.0)):
        kept = cut.keep(rows, [None, None])
        assert np.array_equal(kept[1], kept[0][::-1]), cut
        assert 0 < kept[0].sum() < 5, cut


def typical_by_definition(law: list[float], mass: float, *, past: bool) -> set[int]:
    surprise = [-math.log(p) for p in law]
    mean = sum(p * s for p, s in zip(law, surprise, strict=True))
    kept: set[int] = set()
    for token in sorted(range(len(law)), key=lambda token: abs(surprise[token] - mean)):
        reached = sum(law[other] for other in kept)
        if (reached > mass) if past else (reached >= mass):
            break
        kept.add(token)
    return kept


@pytest.mark.parametrize("past", [False, True])
def test_typical_keeps_the_nearest_to_the_entropy(*, past: bool) -> None:
    rng = np.random.default_rng(8)
    dropped_the_likeliest = 0
    for _ in range(300):
        law = rng.dirichlet(np.full(rng.integers(2, 9), 0.7))
        mass = float(rng.uniform(0.1, 0.95))
        kept = set(np.flatnonzero(Typical(mass, ALL, past).keep(np.log(law)[None], [None])[0]).tolist())
        assert kept == typical_by_definition(law.tolist(), mass, past=past)
        dropped_the_likeliest += int(law.argmax()) not in kept
    assert dropped_the_likeliest > 10


def test_an_exact_hit_of_the_typical_mass() -> None:
    """The surprise nearest to the entropy, 1.3 nats, is that of token 3, 1.39; the next is that of token 1, 0.69."""
    assert set(np.flatnonzero(Typical(0.25, ALL, False).keep(HALVES, [None])[0])) == {3}
    assert set(np.flatnonzero(Typical(0.25, ALL, True).keep(HALVES, [None])[0])) == {3, 1}


def test_sigma_is_that_of_the_tokens_still_possible() -> None:
    row = np.array([[4.0, 3.0, 2.0, 1.0, -np.inf]])
    sigma = np.std([4.0, 3.0, 2.0, 1.0])
    assert TopNSigma(1.01 / sigma).keep(row, [None])[0].tolist() == [True, True, False, False, False]
    assert TopNSigma(2.01 / sigma).keep(row, [None])[0].tolist() == [True, True, True, False, False]


def test_entropy_counts_a_zero_as_nothing() -> None:
    assert entropy(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])).tolist() == [math.log(2), 0]
