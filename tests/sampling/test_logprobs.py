"""Log-probabilities are those of the target."""

import math

import numpy as np
import pytest
import torch

from draftproof.errors import BadRequest
from draftproof.sampling.logprobs import log_probs
from draftproof.sampling.params import SamplingParams

ROW = np.log(np.array([0.1, 0.4, 0.1, 0.4], np.float32)) + 3
PARAMS = SamplingParams(top_k=2, temperature=0.5)
LAW = PARAMS.law(ROW, PARAMS.start([]))


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_raw_and_processed(kind: object) -> None:
    found = log_probs(kind(ROW), kind(LAW), 3, top=3)
    assert found.token == 3
    assert found.raw == pytest.approx(math.log(0.4), rel=1e-6)
    assert found.processed == pytest.approx(math.log(0.5), rel=1e-6)
    assert [token for token, _ in found.top_raw] == [1, 3, 0]
    assert [value for _, value in found.top_raw] == pytest.approx([math.log(0.4), math.log(0.4), math.log(0.1)], rel=1e-6)
    assert [token for token, _ in found.top_processed] == [1, 3]


def test_a_token_that_the_law_forbids_has_minus_infinity() -> None:
    found = log_probs(ROW, LAW, 0)
    assert found.processed == -math.inf
    assert found.raw == pytest.approx(math.log(0.1), rel=1e-6)
    assert found.top_raw == found.top_processed == ()


def test_the_level_of_the_logits_does_not_matter() -> None:
    assert log_probs(ROW + 5000, LAW, 3).raw == pytest.approx(math.log(0.4), rel=1e-3)


def test_all_tokens_sum_to_one() -> None:
    found = log_probs(ROW, LAW, 1, top=4)
    for top in (found.top_raw, found.top_processed):
        assert sum(math.exp(value) for _, value in top) == pytest.approx(1)


@pytest.mark.parametrize(
    ("token", "top", "message"), [(4, 0, "token 4 is outside"), (-1, 0, "token -1"), (0, 5, "of 5 tokens"), (0, -1, "of -1")]
)
def test_what_is_refused(token: int, top: int, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        log_probs(ROW, LAW, token, top=top)
