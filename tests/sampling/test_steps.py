"""Each parameter switches on its own step, with the edge rules of the dialect."""

from dataclasses import fields

import numpy as np
import pytest

from draftproof.sampling.dialects import DIALECTS
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.steps import STEPS

NAMES = {item.name for item in fields(SamplingParams)}
VALUES = {
    "allowed_token_ids": (1,),
    "bad_words_ids": ((1,),),
    "forced_tokens": ((0, 1),),
    "logit_bias": ((1, 1.0),),
    "logits_processor": lambda text, scores: scores,
    "mirostat": 2,
    "no_repeat_ngram_size": 2,
    "top_k": 3,
    "min_new_tokens": 2,
}


def test_every_parameter_belongs_to_a_step() -> None:
    used = {step.switch for step in STEPS.values()} | {name for step in STEPS.values() for name in step.settings}
    assert used < NAMES
    assert NAMES - used == {"dialect", "eos_token_id", "penalty_last_n"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_parameter_switches_on_the_step_of_its_name(dialect: str) -> None:
    order = [name for name in DIALECTS[dialect].order if "grammar" not in name]
    for name in order:
        params = SamplingParams(dialect=dialect, eos_token_id=0, **{name: VALUES.get(name, 0.5)})
        (step,) = params.chain.transforms
        assert step.name == name
        law = params.law(np.zeros(4), params.start([2]))
        assert np.isclose(law.sum(), 1)


def test_edge_rules_come_from_the_dialect() -> None:
    texts = {
        name: str(SamplingParams(dialect=name, top_k=3, repetition_penalty=2, top_p=0.5).chain) for name in ("transformers", "llamacpp")
    }
    assert texts == {
        "transformers": "repetition_penalty(penalty=2.0, counted=Counts(prompt=True, last=None)) -> "
        "top_k(k=3, ties=all stay) -> top_p(p=0.5, ties=high ids stay)",
        "llamacpp": "repetition_penalty(penalty=2.0, counted=Counts(prompt=True, last=None)) -> "
        "top_k(k=3, ties=low ids stay) -> top_p(p=0.5, ties=low ids stay)",
    }
