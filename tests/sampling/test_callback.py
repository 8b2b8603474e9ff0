"""A user's rule sees its own row and prefix, and is caught if it remembers."""

import numpy as np
import pytest

from draftproof.errors import BadLaw, BadRequest, NotReproducible
from draftproof.sampling.params import SamplingParams


def test_each_row_is_given_its_own_text() -> None:
    texts = []

    def rule(text: np.ndarray, scores: np.ndarray) -> np.ndarray:
        texts.append(text.tolist())
        return scores - 5.0 * np.isin(np.arange(len(scores)), text)

    params = SamplingParams(logits_processor=rule)
    laws, _ = params.laws(np.zeros((4, 4)), params.start([0]), [1, 2, 3], [0, 1, 0])
    assert texts[::2] == texts[1::2] == [[0], [0, 1], [0, 1, 2], [0, 3]]
    assert (laws[3] < 0.1).tolist() == [True, False, False, True]


def test_writing_into_the_arguments_changes_nothing_else() -> None:
    def rule(text: np.ndarray, scores: np.ndarray) -> np.ndarray:
        text[:] = 0
        scores[0] = -np.inf
        return scores

    logits = np.zeros(3)
    params = SamplingParams(logits_processor=rule)
    prefix = params.start([1, 2])
    assert params.law(logits, prefix).tolist() == [0, 0.5, 0.5]
    assert logits.tolist() == [0, 0, 0]
    assert prefix.states[0].tolist() == [1, 2]


def test_a_rule_that_counts_its_calls_is_refused() -> None:
    calls = []

    def rule(text: np.ndarray, scores: np.ndarray) -> np.ndarray:
        calls.append(0)
        return scores + np.arange(len(scores)) * len(calls)

    params = SamplingParams(logits_processor=rule)
    with pytest.raises(NotReproducible, match=r"logits_processor gave token 1 the score 1.0 and then, for the same text and scores, 2.0"):
        params.law(np.zeros(3), params.start([]))


def test_a_rule_that_makes_no_numbers_is_named() -> None:
    params = SamplingParams(logits_processor=lambda text, scores: np.full_like(scores, np.nan))
    with pytest.raises(BadLaw, match="no token is left after logits_processor"):
        params.law(np.zeros(3), params.start([]))


def test_a_score_for_each_token_is_asked_for() -> None:
    params = SamplingParams(logits_processor=lambda text, scores: scores[:2])
    with pytest.raises(BadRequest, match=r"logits_processor returned shape \(2,\) for scores of shape \(3,\)"):
        params.law(np.zeros(3), params.start([]))
