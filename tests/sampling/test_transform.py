"""Softmax, and how a step is printed."""

import numpy as np
import pytest

from draftproof.errors import BadRequest
from draftproof.sampling.cuts import TopK
from draftproof.sampling.tail import Ties
from draftproof.sampling.transform import check_vocab, describe, parameters, softmax


def test_softmax_is_a_law_whatever_the_level_of_the_scores() -> None:
    rows = np.array([[0.0, 1.0, -np.inf], [1000.0, 1001.0, -1000.0]])
    laws = softmax(rows)
    assert np.allclose(laws[0], laws[1])
    assert np.allclose(laws.sum(-1), 1)
    assert laws[0, 2] == 0


def test_a_row_without_tokens_becomes_nan() -> None:
    with np.errstate(invalid="ignore"):
        assert np.isnan(softmax(np.full((1, 3), -np.inf))).all()


def test_a_step_prints_its_name_and_settings() -> None:
    step = TopK(50, Ties.ALL_STAY)
    assert describe(step) == "top_k(k=50, ties=all stay)"
    assert parameters(step) == {"k": 50, "ties": Ties.ALL_STAY}


def test_a_token_beyond_the_vocabulary_is_named() -> None:
    check_vocab("logit_bias", np.array([0, 4]), 5)
    check_vocab("logit_bias", np.array([], int), 5)
    with pytest.raises(BadRequest, match="logit_bias names token 5; the vocabulary ends at 4"):
        check_vocab("logit_bias", np.array([5, 1]), 5)
