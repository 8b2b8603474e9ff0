"""The chain step by step on one row."""

import math

import numpy as np
import pytest

from draftproof.errors import BadLaw
from draftproof.sampling.explain import explain
from draftproof.sampling.params import SamplingParams

ROW = np.log(np.array([0.4, 0.3, 0.2, 0.1]))


def test_each_step_says_what_it_did() -> None:
    params = SamplingParams(dialect="llamacpp", top_k=3, min_p=0.6, temperature=0.5)
    logits, top_k, min_p, temperature = explain(params.chain, ROW, params.start([]))
    assert [step.name for step in (logits, top_k, min_p, temperature)] == ["logits", "top_k", "min_p", "temperature"]
    assert top_k.parameters["k"] == 3
    assert (logits.mass_removed, logits.tokens_left) == (0, 4)
    assert (top_k.mass_removed, top_k.tokens_left) == (pytest.approx(0.1), 3)
    assert (min_p.mass_removed, min_p.tokens_left) == (pytest.approx(2 / 9), 2)
    assert (temperature.mass_removed, temperature.tokens_left) == (0, 2)
    assert temperature.law == pytest.approx([0.64, 0.36, 0, 0])
    assert temperature.entropy_nats == pytest.approx(-0.64 * math.log(0.64) - 0.36 * math.log(0.36))


def test_the_last_law_is_the_law_and_the_prefix_counts() -> None:
    params = SamplingParams(dialect="vllm", repetition_penalty=2, top_k=2, presence_penalty=0.5, bad_words_ids=[[0, 1]])
    prefix = params.fold(params.start([3]), 0, ROW)
    steps = explain(params.chain, ROW, prefix)
    assert np.allclose(steps[-1].law, params.law(ROW, prefix))
    assert [step.name for step in steps] == ["logits", "bad_words_ids", "repetition_penalty", "presence_penalty", "top_k"]
    assert steps[1].mass_removed == pytest.approx(0.3)


def test_a_mixture_is_shown_as_the_mixture() -> None:
    params = SamplingParams(dialect="llamacpp", xtc_probability=0.25, xtc_threshold=0.25)
    _, xtc = explain(params.chain, ROW, params.start([]))
    assert xtc.tokens_left == 4
    assert xtc.law[0] == pytest.approx(0.3)


def test_a_row_that_a_step_empties_is_refused() -> None:
    params = SamplingParams(logit_bias=dict.fromkeys(range(4), -np.inf))
    with pytest.raises(BadLaw, match="no token is left after logit_bias"):
        explain(params.chain, ROW, params.start([]))
