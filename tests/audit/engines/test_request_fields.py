"""Every rule is said to a server, and what cannot be said is refused by name."""

import json
import math
from typing import Any

import pytest

from draftproof.audit.engines.request_fields import SPOKEN, spoken
from draftproof.errors import Unsupported
from draftproof.sampling.dialects import DIALECTS
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.steps import STEPS

GIVEN: dict[str, Any] = {
    "top_k": 7,
    "mirostat": 2,
    "logits_processor": lambda tokens, scores: scores,
    "bad_words_ids": [[1, 2]],
    "allowed_token_ids": [1, 2],
    "forced_tokens": {0: 1},
    "logit_bias": {1: 2.0},
    "min_new_tokens": 3,
}
"""Values that do something; the other rules take 0.7."""


def test_nothing_is_left_to_the_defaults_of_a_server() -> None:
    assert spoken(SamplingParams(dialect="llamacpp"), context_length=512) == {
        "temperature": 1.0,
        "top_k": 0,
        "top_p": 1.0,
        "min_p": 0.0,
        "typical_p": 1.0,
        "top_n_sigma": -1.0,
        "repeat_penalty": 1.0,
        "frequency_penalty": 0.0,
        "presence_penalty": 0.0,
        "repeat_last_n": 512,
        "xtc_probability": 0.0,
        "xtc_threshold": 0.1,
        "mirostat": 0,
        "mirostat_tau": 5.0,
        "mirostat_eta": 0.1,
        "logit_bias": [],
        "samplers": ["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"],
        "dry_multiplier": 0.0,
        "dynatemp_range": 0.0,
        "adaptive_target": -1.0,
        "min_keep": 0,
        "backend_sampling": False,
    }


@pytest.mark.parametrize("dialect", SPOKEN)
def test_a_request_is_json(dialect: str) -> None:
    params = SamplingParams(dialect=dialect, temperature=0.5, logit_bias={3: 1.5})
    assert json.loads(json.dumps(spoken(params), allow_nan=False))["temperature"] == 0.5


@pytest.mark.parametrize("dialect", SPOKEN)
def test_every_rule_of_a_dialect_is_said_or_refused(dialect: str) -> None:
    """A rule that the reference follows and the request keeps silent about would be a false alarm."""
    plain = spoken(SamplingParams(dialect=dialect), context_length=9)
    switches = [STEPS[name].switch for name in DIALECTS[dialect].order]
    for switch in [switch for switch in switches if switch != "grammar"]:
        ends = {"eos_token_id": 1} if switch == "min_new_tokens" else {}
        given = SamplingParams(dialect=dialect, **{switch: GIVEN.get(switch, 0.7)}, **ends)
        if switch in SPOKEN[dialect].fields:
            assert spoken(given, context_length=9) != plain, switch
        else:
            with pytest.raises(Unsupported, match=switch):
                spoken(given, context_length=9)


def test_llamacpp_bans_a_token_with_false_since_json_has_no_infinity() -> None:
    assert spoken(SamplingParams(dialect="llamacpp", logit_bias={3: -math.inf, 5: 2.0}))["logit_bias"] == [[3, False], [5, 2.0]]


def test_a_bias_that_a_server_would_cut_is_refused() -> None:
    with pytest.raises(Unsupported, match="logit_bias adds -inf to token 3; a server of the dialect vllm takes -100 to 100"):
        spoken(SamplingParams(dialect="vllm", logit_bias={3: -math.inf}))


def test_penalties_need_to_know_how_far_back_the_server_looks() -> None:
    params = SamplingParams(dialect="llamacpp", presence_penalty=0.5)
    with pytest.raises(Unsupported, match="penalty_last_n is not given"):
        spoken(params)
    assert spoken(params, context_length=300)["repeat_last_n"] == 300
    assert spoken(SamplingParams(dialect="llamacpp", presence_penalty=0.5, penalty_last_n=7), context_length=300)["repeat_last_n"] == 7


def test_what_cannot_be_sent_is_refused_by_name() -> None:
    with pytest.raises(Unsupported, match=r"dry_multiplier is 0\.8, which cannot be sent.*sequence breakers as strings"):
        spoken(SamplingParams(dialect="llamacpp", dry_multiplier=0.8))
    with pytest.raises(Unsupported, match="forced_tokens"):
        spoken(SamplingParams(dialect="vllm", forced_tokens={0: 1}))
    with pytest.raises(Unsupported, match="the dialect transformers is that of no server"):
        spoken(SamplingParams())
