"""Counts of events against their chances: the error rate is kept, at any time, and what is planted is found."""

import numpy as np
import pytest

from draftproof.audit.acceptance.tally import log_e_above, log_e_apart, log_e_together, p_value, refuting_count

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

ALPHA = 0.05


@pytest.mark.parametrize("chance", [0.02, 0.5, 0.95])
def test_events_that_keep_to_their_chances_are_refuted_no_more_often_than_is_stated(chance: float) -> None:
    random, trials = np.random.default_rng(0), 300
    above = apart = 0
    for _ in range(trials):
        events = random.random(60) < chance
        sums = np.cumsum(events)
        looks = range(10, 61, 10)
        above += any(log_e_above(int(sums[n - 1]), np.full(n, chance)) >= np.log(1 / ALPHA) for n in looks)
        apart += any(log_e_apart(int(sums[n - 1]), np.full(n, chance)) >= np.log(1 / ALPHA) for n in looks)
    assert max(above, apart) <= ALPHA * trials + 3 * np.sqrt(ALPHA * trials)


def test_the_e_value_is_on_average_one() -> None:
    chances = np.array([0.1, 0.7, 0.4])
    outcomes = [(np.array([a, b, c]),) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    for log_e in (log_e_above, log_e_apart):
        mean = sum(np.prod(np.where(x == 1, chances, 1 - chances)) * np.exp(log_e(int(x.sum()), chances)) for (x,) in outcomes)
        assert mean == pytest.approx(1)


def test_too_many_and_too_few_are_found() -> None:
    chances = np.full(500, 0.6)
    assert log_e_above(360, chances) > np.log(1000)
    assert log_e_above(240, chances) < 0
    assert min(log_e_apart(360, chances), log_e_apart(240, chances)) > np.log(1000)


def test_what_can_never_happen_refutes_at_once_and_what_always_does_says_nothing() -> None:
    assert log_e_above(1, np.zeros(10)) > np.log(1000)
    assert log_e_above(10, np.ones(10)) == pytest.approx(0)
    assert log_e_apart(9, np.ones(10)) > np.log(1000)


def test_a_band_widens_what_is_allowed() -> None:
    chances = np.full(500, 0.6)
    assert log_e_apart(360, chances, band=0.1) < 0
    assert log_e_apart(360, chances, band=0.02) < log_e_apart(360, chances)


def test_the_refuting_count_is_the_first_that_refutes() -> None:
    ceilings = np.full(200, 0.5)
    enough = refuting_count(ceilings, 1e-3)
    assert enough is not None
    assert log_e_above(enough - 1, ceilings) < np.log(1000) <= log_e_above(enough, ceilings)
    assert refuting_count(np.full(5, 0.9), 1e-3) is None


def test_a_p_value_is_one_over_the_e_value_and_at_most_one() -> None:
    assert p_value(np.log(50)) == pytest.approx(0.02)
    assert p_value(-3.0) == 1
    assert log_e_together([float(np.log(3)), 0.0]) == pytest.approx(np.log(2))
