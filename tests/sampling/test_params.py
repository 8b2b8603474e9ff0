"""What is accepted, what is refused and with which words, and that nothing is ignored."""

import math
import subprocess
import sys

import numpy as np
import pytest

from draftproof.errors import BadRequest
from draftproof.sampling.params import RANGES, SamplingParams
from draftproof.sampling.protocol import Sampling

NOT_NUMBERS = [math.nan, math.inf, -math.inf, "1", True]


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("temperature", -0.1, "a number of at least 0"),
        ("top_k", -1, "an integer of at least 0"),
        ("top_k", 2.5, "an integer of at least 0"),
        ("top_p", 0, r"a number in \(0, 1\]"),
        ("top_p", 1.5, r"a number in \(0, 1\]"),
        ("min_p", -0.1, r"a number in \[0, 1\]"),
        ("min_p", 1.1, r"a number in \[0, 1\]"),
        ("typical_p", 0, r"a number in \(0, 1\]"),
        ("epsilon_cutoff", 1, r"a number in \[0, 1\)"),
        ("eta_cutoff", -1, r"a number in \[0, 1\)"),
        ("top_n_sigma", -1, "a number of at least 0"),
        ("repetition_penalty", 0, "a number above 0"),
        ("repetition_penalty", -1, "a number above 0"),
        ("penalty_last_n", 0, "an integer of at least 1"),
        ("no_repeat_ngram_size", -1, "an integer of at least 0"),
        ("min_new_tokens", -1, "an integer of at least 0"),
        ("xtc_probability", 1.5, r"a number in \[0, 1\]"),
        ("xtc_threshold", 0, r"a number in \(0, 1\]"),
        ("dry_multiplier", -1, "a number of at least 0"),
        ("dry_base", 0.9, "a number of at least 1"),
        ("dry_allowed_length", 0, "an integer of at least 1"),
        ("dry_penalty_last_n", -1, "an integer of at least 1"),
        ("mirostat_tau", 0, "a number above 0"),
        ("mirostat_eta", -1, "a number of at least 0"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(name: str, value: object, allowed: str) -> None:
    with pytest.raises(BadRequest, match=f"^{name} is {value}; it must be {allowed}$"):
        SamplingParams(dialect="llamacpp", **{name: value})


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=str)
def test_what_is_no_number_is_refused(name: str, value: object) -> None:
    with pytest.raises(BadRequest, match=f"^{name} is {value!r}; it must be "):
        SamplingParams(dialect="llamacpp", **{name: value})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dialect": "sglang"}, "dialect is 'sglang'; it must be one of transformers, vllm, llamacpp, openai"),
        ({"mirostat": 1}, "mirostat is 1; it must be 0"),
        ({"logit_bias": {3: math.nan}}, "logit_bias adds nan to token 3; it must be a finite number or -inf"),
        ({"logit_bias": {3: math.inf}}, "logit_bias adds inf to token 3"),
        ({"logit_bias": {-1: 1.0}}, "logit_bias holds -1; it must hold token ids of at least 0"),
        ({"logit_bias": [(1, 2.0), (1, 3.0)]}, "logit_bias names 1 more than once"),
        ({"allowed_token_ids": []}, "allowed_token_ids is empty; it must name at least one token, or be left out"),
        ({"allowed_token_ids": [1.5]}, "allowed_token_ids holds 1.5"),
        ({"bad_words_ids": [[1], []]}, "bad_words_ids holds an empty sequence at place 1"),
        ({"bad_words_ids": [["a"]]}, "bad_words_ids holds 'a'"),
        ({"logits_processor": 3}, "logits_processor is 3; it must be a function"),
        ({"grammar": "a*"}, r"grammar is 'a\*'; make one with Grammar.json_schema"),
        ({"eos_token_id": -2}, "eos_token_id is -2|eos_token_id holds -2"),
        ({"forced_tokens": {0: -1}}, "forced_tokens puts -1 at place 0; it must be a token id of at least 0"),
        ({"min_new_tokens": 2}, "min_new_tokens is 2, but no eos_token_id is given that could be held back"),
        ({"dialect": "llamacpp", "xtc_threshold": 0.2}, "xtc_threshold is 0.2, but xtc_probability is 0.0, so it would do nothing"),
        ({"dialect": "llamacpp", "dry_base": 2}, "dry_base is 2.0, but dry_multiplier is 0.0, so it would do nothing"),
        ({"dialect": "llamacpp", "mirostat_tau": 3}, "mirostat_tau is 3.0, but mirostat is 0, so it would do nothing"),
        ({"dialect": "llamacpp", "penalty_last_n": 3}, "penalty_last_n is 3, but no penalty is given, so it would do nothing"),
    ],
)
def test_what_means_nothing_is_refused(given: dict, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        SamplingParams(**given)


def test_any_collection_of_tokens_is_kept_as_a_tuple() -> None:
    params = SamplingParams(
        temperature=np.float32(0.5),
        top_k=np.int64(3),
        logit_bias={"5": 1, 2: -2.0},
        allowed_token_ids=np.array([4, 5, 2]),
        eos_token_id=2,
        bad_words_ids=[[1, 2], (3,)],
        forced_tokens={1: 5},
    )
    assert (params.temperature, params.top_k) == (0.5, 3)
    assert (type(params.temperature), type(params.top_k)) == (float, int)
    assert params.logit_bias == ((2, -2.0), (5, 1))
    assert params.allowed_token_ids == (4, 5, 2)
    assert params.eos_token_id == (2,)
    assert params.bad_words_ids == ((1, 2), (3,))
    assert params.forced_tokens == ((1, 5),)


def test_equal_parameters_are_equal_and_may_be_keys() -> None:
    assert len({SamplingParams(top_k=3, logit_bias={1: 2.0}), SamplingParams(top_k=3, logit_bias={1: 2.0}), SamplingParams()}) == 2


def test_defaults_have_no_effect_in_any_dialect() -> None:
    logits = np.random.default_rng(0).normal(size=7)
    expected = np.exp(logits) / np.exp(logits).sum()
    for dialect in ("transformers", "vllm", "llamacpp", "openai"):
        params = SamplingParams(dialect=dialect)
        assert params.chain.transforms == ()
        assert params.law(logits, params.start([1])) == pytest.approx(expected)


def test_greedy_is_the_argmax_after_the_processors() -> None:
    logits = np.array([1.0, 3.0, 3.0, 2.0])
    params = SamplingParams(temperature=0, top_p=0.5, top_k=2, logit_bias={1: -5.0})
    assert params.law(logits, params.start([])).tolist() == [0, 0, 1, 0]
    assert SamplingParams(temperature=0).law(logits, params.start([])).tolist() == [0, 1, 0, 0]


def test_it_is_the_sampling_of_a_decode() -> None:
    params: Sampling = SamplingParams(frequency_penalty=1.0, dialect="openai")
    prefix = params.start([0])
    laws, prefixes = params.laws(np.zeros((3, 3)), prefix, [1, 1], [0, 1])
    assert laws[0] == pytest.approx([1 / 3] * 3)
    assert laws[2, 1] == pytest.approx(math.exp(-2) / (2 + math.exp(-2)))
    assert params.fold(prefixes[1], 1, laws[1]).states[0].counts.tolist() == [2]


def test_importing_brings_no_heavy_library() -> None:
    program = "import sys, draftproof.sampling; print(*sorted({'torch', 'transformers', 'llguidance', 'scipy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
