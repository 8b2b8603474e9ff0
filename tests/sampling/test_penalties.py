"""Each penalty on tokens of known counts; each row by its own prefix; the scores that came in stay as they were."""

import numpy as np
import pytest

from draftproof.sampling.memory import Counts
from draftproof.sampling.penalties import FrequencyPenalty, PresencePenalty, RepetitionPenalty
from draftproof.sampling.transform import Shift

COUNTED = Counts(True)
SCORES = np.array([[2.0, -2.0, 0.0, 1.0], [2.0, -2.0, 0.0, 1.0]])
STATES = [COUNTED.start([0, 1, 1]), COUNTED.start([3, 3, 3])]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (RepetitionPenalty(2.0, COUNTED), [[1, -4, 0, 1], [2, -2, 0, 0.5]]),
        (RepetitionPenalty(0.5, COUNTED), [[4, -1, 0, 1], [2, -2, 0, 2]]),
        (FrequencyPenalty(0.5, COUNTED), [[1.5, -3, 0, 1], [2, -2, 0, -0.5]]),
        (FrequencyPenalty(-0.5, COUNTED), [[2.5, -1, 0, 1], [2, -2, 0, 2.5]]),
        (PresencePenalty(0.5, COUNTED), [[1.5, -2.5, 0, 1], [2, -2, 0, 0.5]]),
    ],
    ids=lambda value: str(getattr(value, "name", "")),
)
def test_each_row_is_penalised_by_its_own_prefix(step: Shift, expected: list[list[float]]) -> None:
    before = SCORES.copy()
    assert step.apply(SCORES, STATES).tolist() == expected
    assert np.array_equal(SCORES, before)


def test_a_banned_token_stays_banned() -> None:
    banned = np.array([[-np.inf, 1.0]])
    for step in (RepetitionPenalty(2.0, COUNTED), FrequencyPenalty(-3.0, COUNTED), PresencePenalty(-3.0, COUNTED)):
        assert step.apply(banned, [COUNTED.start([0])])[0, 0] == -np.inf
