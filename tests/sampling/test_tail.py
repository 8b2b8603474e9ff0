"""The cut of a tail against a sort of the whole row."""

from collections.abc import Callable

import numpy as np
import pytest

from draftproof.sampling.tail import SAMPLE, Ties, outside_tail


def by_sorting(keys: np.ndarray, masses: np.ndarray, bound: float, *, ties: Ties, strict: bool = False) -> np.ndarray:
    """The same by definition, on integers."""
    sign = -1 if ties is Ties.LOW_IDS_STAY else 1
    order = sorted(range(len(keys)), key=lambda token: (keys[token], sign * token))
    mass, lost = 0, 0
    for token in order[:-1]:
        mass += masses[token]
        if mass > bound or (strict and mass == bound):
            break
        lost += 1
    stays = np.zeros(len(keys), bool)
    stays[order[lost:]] = True
    return stays | (keys == keys[order[lost]]) if ties is Ties.ALL_STAY else stays


def cases(count: int, size: Callable[[np.random.Generator], int]) -> list[tuple[np.ndarray, np.ndarray, float]]:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(count):
        vocab = size(rng)
        keys = rng.integers(0, rng.choice([3, 50, 10**6]), size=vocab).astype(float)
        masses = keys if rng.random() < 0.5 else rng.integers(0, 9, size=vocab).astype(float)
        found.append((keys, masses, float(rng.integers(0, max(masses.sum(), 1)))))
    return found


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("ties", [*Ties])
def test_the_cut_is_that_of_a_sort(ties: Ties, *, strict: bool) -> None:
    """Whole numbers, so that sums are exact; where masses differ within a tie, only rules that keep all of it are defined."""
    wide = lambda rng: int(rng.choice([4 * SAMPLE + 1, 20 * SAMPLE + 7]))  # noqa: E731
    compared = 0
    for keys, masses, bound in cases(120, lambda rng: int(rng.integers(1, 40))) + cases(12, wide):
        if ties is Ties.ALL_STAY or masses is keys:
            stays = outside_tail(keys, masses, bound, ties=ties, strict=strict)
            assert np.array_equal(stays, by_sorting(keys, masses, bound, ties=ties, strict=strict))
            compared += 1
    assert compared > 40


def test_an_exact_hit_is_removed_unless_the_bound_is_strict() -> None:
    keys = np.array([1.0, 2.0, 3.0])
    masses = np.array([0.25, 0.25, 0.5])
    assert outside_tail(keys, masses, 0.5, ties=Ties.ALL_STAY).tolist() == [False, False, True]
    assert outside_tail(keys, masses, 0.5, ties=Ties.ALL_STAY, strict=True).tolist() == [False, True, True]


def test_one_token_stays_whatever_the_bound() -> None:
    assert outside_tail(np.zeros(3), np.full(3, 1 / 3), 2.0, ties=Ties.HIGH_IDS_STAY).tolist() == [False, False, True]
    assert outside_tail(np.zeros(3), np.full(3, 1 / 3), 2.0, ties=Ties.LOW_IDS_STAY).tolist() == [True, False, False]


def test_a_wide_row_of_few_possible_tokens() -> None:
    keys = np.full(50_000, -np.inf)
    keys[[7, 40_000]] = [1.0, 2.0]
    masses = np.where(keys > 0, 0.5, 0.0)
    assert np.flatnonzero(outside_tail(keys, masses, 0.4, ties=Ties.ALL_STAY)).tolist() == [7, 40_000]
    assert np.flatnonzero(outside_tail(keys, masses, 0.5, ties=Ties.ALL_STAY)).tolist() == [40_000]


def test_the_comparison_would_see_a_cut_one_token_off() -> None:
    keys, masses, bound = cases(1, lambda rng: 20)[0]
    shifted = by_sorting(keys, masses, bound + masses[masses > 0].min() + masses.max(), ties=Ties.HIGH_IDS_STAY)
    assert not np.array_equal(shifted, by_sorting(keys, masses, bound, ties=Ties.HIGH_IDS_STAY))
