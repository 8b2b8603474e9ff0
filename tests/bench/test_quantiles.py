"""Quantiles: claimed from enough observations only, and then right as often as they say, also where observations depend on each other."""

import numpy as np
import pytest

from draftproof.bench.quantiles import Quantile, TooFew, grouped_quantile, needed, quantile


@pytest.mark.parametrize(("q", "least"), [(0.5, 6), (0.95, 59), (0.99, 299), (0.999, 2995), (0.01, 299)])
def test_what_is_needed_is_known_beforehand(q, least):
    assert needed(q) == least


@pytest.mark.parametrize("q", [0.01, 0.5, 0.95, 0.99])
def test_one_observation_fewer_than_needed_claims_nothing(q):
    values = [float(value) for value in range(needed(q))]
    assert isinstance(quantile(values, q), Quantile)
    assert quantile(values[1:], q) == TooFew(q, needed(q) - 1, needed(q))


def test_a_claim_that_is_not_made_says_what_it_takes():
    assert str(quantile([1.0] * 40, 0.99)) == "p99 takes 299 independent observations, and these are worth 40"


def test_with_just_enough_the_interval_is_from_the_smallest_to_the_largest():
    found = quantile([5.0, 1.0, 2.0, 6.0, 3.0, 4.0], 0.5)
    assert (found.low, found.value, found.high) == (1.0, 3.0, 6.0)


def test_the_value_is_an_observation_and_the_order_does_not_matter():
    values = list(np.random.default_rng(0).permutation(100.0 * np.arange(1, 101)))
    assert quantile(values, 0.95).value == 9500.0


@pytest.mark.parametrize(("q", "count"), [(0.5, 6), (0.5, 40), (0.95, 59), (0.95, 200), (0.99, 299), (0.99, 1000), (0.01, 299)])
def test_the_interval_holds_the_quantile_as_often_as_it_says(q, count):
    from scipy.stats import binom

    ranks = quantile([float(rank) for rank in range(1, count + 1)], q)
    exactly = binom.cdf(ranks.high - 1, count, q) - binom.cdf(ranks.low - 1, count, q)
    """The quantile lies between two ranks if at least the lower and fewer than the upper number of observations are below it."""
    assert exactly >= 0.95 - 1e-9
    assert ranks.low <= ranks.value <= ranks.high
    if ranks.low > 1 and ranks.high < count:
        narrower = binom.cdf(ranks.high - 2, count, q) - binom.cdf(ranks.low, count, q)
        assert narrower < 0.95, "no rank is given away on both sides"


class TestGroups:
    """Sixty groups of fifty, as gaps of sixty texts, where groups differ."""

    def drawn(self, spread: float, count: int = 300) -> np.ndarray:
        rng = np.random.default_rng(3)
        return rng.standard_normal((count, 60, 50)) + spread * rng.standard_normal((count, 60, 1))

    def held(self, found: list, truth: float) -> float:
        assert all(isinstance(each, Quantile) for each in found)
        return float(np.mean([each.low <= truth <= each.high for each in found]))

    def truth(self, q: float, spread: float) -> float:
        from scipy.stats import norm

        return float(norm.ppf(q) * np.sqrt(1 + spread**2))

    def test_that_differ_are_seen_to_be_worth_less(self):
        groups = [list(group) for group in self.drawn(1.0, 1)[0]]
        alike = [list(group) for group in self.drawn(0.0, 1)[0]]
        assert grouped_quantile(groups, 0.5).worth < 250
        assert grouped_quantile(alike, 0.5).worth > 1000

    @pytest.mark.parametrize("q", [0.5, 0.95])
    def test_that_differ_have_an_interval_that_holds_the_truth(self, q):
        found = [grouped_quantile([list(group) for group in groups], q) for groups in self.drawn(1.0)]
        assert self.held(found, self.truth(q, 1.0)) >= 0.92

    def test_that_differ_would_mislead_if_all_observations_were_taken_for_independent(self):
        found = [quantile(list(groups.reshape(-1)), 0.5) for groups in self.drawn(1.0)]
        assert self.held(found, 0.0) < 0.5

    def test_of_one_observation_are_observations(self):
        values = [float(value) for value in range(59)]
        assert grouped_quantile([[value] for value in values], 0.95) == quantile(values, 0.95)

    def test_that_are_few_claim_nothing_however_long_they_are(self):
        long = [[float(value) for value in range(1000)]] * (needed(0.95) - 1)
        assert grouped_quantile(long, 0.95) == TooFew(0.95, 58, 59)
        assert grouped_quantile(long[:5], 0.5) == TooFew(0.5, 5, 6)

    def test_of_which_one_holds_the_whole_tail_claim_no_tail(self):
        calm, stormy = [[0.0] * 100] * 299, [[0.0] * 60 + [float(value) for value in range(1, 401)]]
        assert isinstance(grouped_quantile([*calm, *stormy], 0.99), TooFew)

    def test_that_met_no_storm_claim_no_tail_of_one(self):
        """Of twenty groups one is slow, and a sitting of ten often meets none: by their spread alone they would be worth hundreds."""
        rng = np.random.default_rng(8)
        calm = [list(rng.exponential(size=250)) for _ in range(10)]
        assert grouped_quantile(calm, 0.95) == TooFew(0.95, 10, 59)

    def test_that_are_empty_count_for_nothing(self):
        assert grouped_quantile([[]] * 50, 0.5) == TooFew(0.5, 0, 6)
