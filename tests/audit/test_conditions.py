"""Conditions: what is asked for becomes rules, prompts and suspects, chosen by the target and the draft alone."""

from dataclasses import replace

import pytest

from draftproof.audit.conditions import TEMPERATURES, Judge, conditions, described
from draftproof.audit.law.plan import Goal
from draftproof.errors import BadRequest
from draftproof.models.language import LanguageModel
from draftproof.sampling.params import SamplingParams

GOAL = Goal(effect=0.5, length=4)
PROMPTS = ("hello", "there", "nine", "over")


def test_a_temperature_that_is_asked_for_is_kept(tiny: LanguageModel) -> None:
    found = conditions(Judge(tiny), {"temperature": 0.9}, [{"top_k": 5}], PROMPTS, GOAL, seed=3)
    assert [one.name for one in found] == ["temperature 0.9", "temperature 0.9, top_k 5"]
    assert [one.params.temperature for one in found] == [0.9, 0.9]
    assert {"without top_k", "without temperature"} <= {one.name for one in found[1].suspects}
    assert [ask.seed for ask, _ in zip(found[0].asks(), range(3), strict=False)] == [3, 4, 5]


def test_without_a_temperature_one_is_chosen_and_half_of_the_prompts_are_kept(tiny: LanguageModel) -> None:
    (found,) = conditions(Judge(tiny), {}, [], PROMPTS, GOAL, seed=None)
    assert found.params.temperature in TEMPERATURES
    assert len(found.plan.prompts) == 2
    assert set(found.plan.prompts) <= {tuple(tiny.tokenizer.encode(text)) for text in PROMPTS}
    assert next(found.asks()).seed is None


def test_the_reference_follows_what_the_engine_follows(tiny: LanguageModel) -> None:
    banned = Judge(tiny, tiny, follows=lambda params: replace(params, logit_bias={7: float("-inf")}), drafts=lambda _: None)
    reference = banned.reference(SamplingParams())
    assert reference.params.logit_bias == ((7, float("-inf")),)
    assert reference.draft_params is None
    assert [name for name, _ in reference.altered] == ["without logit_bias"]


@pytest.mark.parametrize(
    ("prompts", "also", "sentence"),
    [
        (["x", ""], [], "the prompt is empty"),
        (["word " * 600], [], "do not fit into the 512"),
        (["x"], [{"temperature": 1.0}], "is asked for twice"),
        ([], [], "there are no prompts"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(
    tiny: LanguageModel, prompts: list[str], also: list[dict[str, float]], sentence: str
) -> None:
    with pytest.raises(BadRequest, match=sentence):
        conditions(Judge(tiny), {"temperature": 1.0}, also, prompts, GOAL, seed=0)


def test_a_name_says_the_rules_and_not_the_dialect() -> None:
    assert described({"top_p": 0.9, "dialect": "vllm", "temperature": 1}) == "temperature 1, top_p 0.9"
    assert described({}) == "the model's own law"
