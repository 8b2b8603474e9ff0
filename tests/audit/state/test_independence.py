"""The chance of equal texts is bounded from above, and not by much."""

import numpy as np
import pytest

from draftproof.audit.state.independence import common_starts, equal_texts, log_chance, neighbours

LAW = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02])


def p_value(tokens: np.ndarray) -> float:
    texts = [(int(token),) for token in tokens]
    return float(np.exp(equal_texts(texts, {(token,): float(np.log(mass)) for token, mass in enumerate(LAW)})))


@pytest.mark.parametrize("count", [2, 4, 8])
def test_the_bound_is_exceeded_no_more_often_than_it_says(count: int) -> None:
    random, trials = np.random.default_rng(1), 4000
    found = np.array([p_value(random.choice(len(LAW), size=count, p=LAW)) for _ in range(trials)])
    for alpha in (0.01, 0.05, 0.2):
        assert (found <= alpha).mean() <= alpha + 3 * np.sqrt(alpha / trials)


def test_a_pair_and_a_crowd_of_equal_texts() -> None:
    assert log_chance(10, 2, np.log(1e-5)) == pytest.approx(np.log(2 * 45 * 1e-5))
    assert p_value(np.array([6, 6])) == pytest.approx(2 * 0.02)
    assert p_value(np.zeros(30, int)) < 1e-3  # a token of probability 1/2 thirty times over
    assert p_value(np.array([0, 1, 2, 3])) == 1


def test_common_starts_end_with_the_first_difference() -> None:
    probabilities = [np.array([0.5, 0.4, 0.3]), np.array([0.5, 0.4, 0.2]), np.array([0.1, 0.4, 0.3])]
    count, chances = common_starts([(1, 2, 3), (1, 2, 4), (0, 2, 3)], probabilities)
    assert count == 2
    assert chances.tolist() == [0.5, 0.4, 0.3, 0.5]


def test_equal_neighbours_are_counted_to_their_end() -> None:
    count, expected, log_e = neighbours([(1, 2), (1, 2)], [np.array([1e-3, 1e-3])] * 2)
    assert (count, expected) == (2, 2e-3)
    assert log_e > np.log(1000)
