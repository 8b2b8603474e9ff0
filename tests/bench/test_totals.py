"""The ratio of two totals: what it is, and that its interval holds what it says where there are few prompts."""

import numpy as np
import pytest

from draftproof.bench.totals import Estimate, ratio_of_totals


def test_it_weighs_each_place_by_its_size():
    assert ratio_of_totals([10.0, 1.0], [5.0, 1.0]).value == pytest.approx(11 / 6)


def test_places_that_agree_leave_no_doubt():
    estimate = ratio_of_totals([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert estimate.low == pytest.approx(2.0)
    assert estimate.high == pytest.approx(2.0)


def test_one_place_has_no_interval():
    assert ratio_of_totals([3.0], [2.0]) == Estimate(1.5, None, None)


def test_equal_sizes_give_students_interval_of_the_mean():
    from scipy.stats import t

    values = np.exp(np.array([0.01, 0.02, -0.015, 0.005]))
    estimate = ratio_of_totals(list(values), [1.0] * 4)
    reach = t.ppf(0.975, 3) * values.std(ddof=1) / np.sqrt(4) / values.mean()
    assert np.log(estimate.high / estimate.value) == pytest.approx(reach, rel=0.02)


def samples(count: int, places: int = 6, sizes: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Prompts whose times differ by a factor of two and whose speed-ups by a fifth, many times over; in truth the ratio is 1.5."""
    rng = np.random.default_rng(1)
    seconds = np.exp(sizes * rng.standard_normal((count, places)))
    return seconds, seconds / (1.5 * np.exp(0.2 * rng.standard_normal((count, places))) * np.exp(0.2**2 / 2))


def held(low: list[float], high: list[float]) -> float:
    return float(np.mean((np.array(low) <= 1.5) & (np.array(high) >= 1.5)))


def held_by_estimates(above: np.ndarray, below: np.ndarray) -> float:
    estimates = [ratio_of_totals(list(one), list(other)) for one, other in zip(above, below, strict=True)]
    return held([each.low for each in estimates], [each.high for each in estimates])


def test_the_interval_of_six_prompts_holds_the_truth_as_often_as_it_says():
    assert 0.92 <= held_by_estimates(*samples(1000)) <= 0.98


@pytest.mark.parametrize("places", [4, 6, 10])
def test_the_interval_of_few_prompts_of_very_uneven_lengths_does_too(places):
    assert 0.93 <= held_by_estimates(*samples(1000, places, sizes=1.0)) <= 0.99


def test_two_prompts_of_which_one_is_all_there_is_have_an_interval_all_the_same():
    estimate = ratio_of_totals([1000.0, 1.0], [500.0, 1.0])
    assert 0 < estimate.low < 1 < estimate.value < estimate.high < np.inf, "it says little, and that is right"


def test_resampling_six_prompts_would_not():
    rng = np.random.default_rng(2)
    picked = rng.integers(6, size=(500, 6))
    ratios = [above[picked].sum(1) / below[picked].sum(1) for above, below in zip(*samples(1000), strict=True)]
    assert held([np.quantile(each, 0.025) for each in ratios], [np.quantile(each, 0.975) for each in ratios]) < 0.91
