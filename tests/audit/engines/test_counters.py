"""Counters of drafts in the words of every server, and none where there are none."""

from typing import Any

import pytest

from draftproof.audit.engines.counters import counters
from draftproof.errors import Unavailable


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"timings": {"draft_n": 9, "draft_n_accepted": 4}}, (9, 4)),
        ({"metrics": {"speculative_decoding": {"num_draft_tokens": 9, "num_accepted_draft_tokens": 4}}}, (9, 4)),
        ({"usage": {"completion_tokens_details": {"accepted_prediction_tokens": 4, "rejected_prediction_tokens": 5}}}, (9, 4)),
        ({"timings": {"predicted_n": 4}, "usage": {"completion_tokens": 3, "completion_tokens_details": None}, "metrics": None}, None),
        ({"timings": [1], "usage": "none"}, None),
        ({}, None),
    ],
)
def test_counters_are_found_where_a_server_has_them(message: dict[str, Any], expected: tuple[int, int] | None) -> None:
    assert counters(message) == expected


@pytest.mark.parametrize("bad", [-1, 1.5, "9", True, [0] * 1000])
def test_a_counter_that_counts_nothing_is_refused(bad: Any) -> None:
    with pytest.raises(Unavailable, match="must be counts of tokens") as error:
        counters({"timings": {"draft_n": bad, "draft_n_accepted": 1}})
    assert len(str(error.value)) < 200
