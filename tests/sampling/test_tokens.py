"""Rules that name tokens."""

import numpy as np
import pytest

from draftproof.errors import BadRequest
from draftproof.sampling.tokens import AllowedTokens, ForcedTokens, LogitBias, MinNewTokens
from draftproof.sampling.transform import Shift

OFF = -np.inf
ROW = np.array([[0.5, 1.5, 2.5]])


def test_a_bias_is_added_and_may_ban() -> None:
    assert LogitBias(((0, 2.0), (2, OFF))).apply(ROW, [None]).tolist() == [[2.5, 1.5, OFF]]


def test_only_allowed_tokens_stay() -> None:
    assert AllowedTokens((0, 2)).apply(ROW, [None]).tolist() == [[0.5, OFF, 2.5]]


def test_allowed_tokens_that_were_all_gone_revive_only_where_the_engine_does_so() -> None:
    gone = np.array([[OFF, 1.5, OFF], [OFF, 1.5, 2.5]])
    assert AllowedTokens((0, 2)).apply(gone, [None, None]).tolist() == [[OFF, OFF, OFF], [OFF, OFF, 2.5]]
    assert AllowedTokens((0, 2), revives=True).apply(gone, [None, None]).tolist() == [[0, OFF, 0], [OFF, OFF, 2.5]]


def test_the_end_is_held_back_row_by_row() -> None:
    rows = np.concatenate([ROW, ROW, ROW])
    assert MinNewTokens(2, (0, 1)).apply(rows, [0, 1, 2])[:, 0].tolist() == [OFF, OFF, 0.5]


def test_a_forced_token_is_certain_at_its_place_alone() -> None:
    rows = np.concatenate([ROW, ROW])
    assert ForcedTokens(((1, 2),)).apply(rows, [0, 1]).tolist() == [ROW[0].tolist(), [OFF, OFF, 0]]


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (LogitBias(((3, 1.0),)), "logit_bias"),
        (AllowedTokens((3,)), "allowed_token_ids"),
        (MinNewTokens(1, (3,)), "eos_token_id"),
        (ForcedTokens(((0, 3),)), "forced_tokens"),
    ],
)
def test_a_token_outside_the_vocabulary_is_refused(step: Shift, name: str) -> None:
    with pytest.raises(BadRequest, match=f"{name} names token 3; the vocabulary ends at 2"):
        step.apply(ROW, [0])


def test_the_scores_that_came_in_stay_as_they_were() -> None:
    before = ROW.copy()
    for step in (LogitBias(((0, 1.0),)), AllowedTokens((0,)), MinNewTokens(1, (0,)), ForcedTokens(((0, 1),))):
        step.apply(ROW, [0])
    assert np.array_equal(ROW, before)
