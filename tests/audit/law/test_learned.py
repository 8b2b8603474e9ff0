"""What is learned on the way: of the past alone, fair to a sound engine, and found where a fault repeats."""

from collections.abc import Callable

import numpy as np
import pytest

from draftproof.audit.law.learned import LEARNERS, Favoured, Learner, Ranked, Repeated
from draftproof.audit.law.rows import Rows

TARGET = np.array([[0.05, 0.15, 0.5, 0.3, 0.0]])


@pytest.mark.parametrize("band", [0.0, 1e-3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_whatever_came_before_the_mean_over_the_next_token_is_one(learner: Callable[[float], Learner], band: float) -> None:
    mean = 0.0
    for token in range(5):
        learned = learner(band)
        for past in (0, 0, 1, 0, 0, 2):
            learned.scores((5,), Rows(np.array([past]), TARGET))
        mean += TARGET[0, token] * learned.scores((5,), Rows(np.array([token]), TARGET)).ratios[0]
    assert mean == pytest.approx(1.0)


@pytest.mark.parametrize("learner", LEARNERS)
def test_before_anything_was_seen_nothing_is_expected(learner: Callable[[float], Learner]) -> None:
    assert learner(0.0).scores((5,), Rows(np.array([3]), TARGET)).ratios == pytest.approx([1.0])


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_token_that_came_too_often_is_expected_again_and_one_that_did_not_is_not(learner: Callable[[float], Learner]) -> None:
    learned = learner(0.0)
    for _ in range(300):
        learned.scores((5,), Rows(np.array([0]), TARGET))
    again, other = (learned.scores((5,), Rows(np.array([token]), TARGET)).ratios[0] for token in (0, 2))
    assert again > 2
    assert other < 0.5


def test_a_rank_is_learned_whatever_tokens_hold_it() -> None:
    learned, rolled = Ranked(), np.roll(TARGET, 1, axis=-1)
    for _ in range(300):
        learned.scores((5,), Rows(np.array([2]), TARGET))
    assert learned.scores((6,), Rows(np.array([3]), rolled)).ratios[0] > 1.5


def test_a_token_is_learned_wherever_it_stands() -> None:
    learned = Favoured()
    for _ in range(300):
        learned.scores((5,), Rows(np.array([0]), TARGET))
    assert learned.scores((6, 1), Rows(np.array([0]), TARGET)).ratios[0] > 2


def test_a_forbidden_token_teaches_a_rank_nothing() -> None:
    learned = Ranked()
    learned.scores((5,), Rows(np.array([4]), TARGET))
    assert learned.scores((5,), Rows(np.array([2]), TARGET)).ratios == pytest.approx([1.0])


def test_learning_needs_the_very_same_text_before() -> None:
    learned, uniform = Repeated(), np.full((2, 4), 0.25)
    for _ in range(20):
        learned.scores((7,), Rows(np.array([1, 2]), uniform))
    again = learned.scores((7,), Rows(np.array([1, 2]), uniform)).ratios
    np.testing.assert_allclose(again, (4 * 0.25 + 20) / 24 / 0.25)
    np.testing.assert_array_equal(learned.scores((8,), Rows(np.array([1, 2]), uniform)).ratios, 1)
    np.testing.assert_array_equal(learned.scores((7,), Rows(np.array([3, 2]), uniform)).ratios[1:], 1)
