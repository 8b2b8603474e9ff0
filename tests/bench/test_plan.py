"""A plan answers for everything that was asked, and refuses what cannot be planned."""

import pytest

from draftproof.bench.plan import plan
from draftproof.errors import BadRequest
from draftproof.models.language import LanguageModel


def test_a_plan_answers_for_every_workload_temperature_and_batch(tiny: LanguageModel):
    told, ticks = [], iter(range(10**9))
    prompts = {"one": [[5, 6, 7, 5, 6, 7], [9, 8, 9, 8]], "two": [[1, 2], [3, 4], [5]]}
    asked = {"temperatures": (0.0, 0.7), "batches": (1, 2), "widths": (2,), "max_tokens": 3}
    found = plan(tiny, prompts, **asked, told=told.append, clock=lambda: next(ticks))
    assert [(each.workload, each.temperature, each.batch) for each in found.advices] == [
        (workload, temperature, batch) for workload in prompts for temperature in (0.0, 0.7) for batch in (1, 2)
    ]
    assert (found.target, found.draft_model, found.prompts, found.max_tokens) == (tiny.name, "", {"one": 2, "two": 3}, 3)
    assert set(found.costs) == set(prompts)
    assert found.drift == {workload: pytest.approx(1.0, abs=0.5) for workload in prompts}, "every look at the clock is a second later"
    assert all([even.width for even in each.break_even] == [2] and len(each.options) == 6 for each in found.advices)
    assert all(not each.draft and each.words.startswith("Do not draft") for each in found.advices), "a clock without a gain"
    assert told[0] == "measure what a pass costs"
    assert "one, temperature 0.7: replay 6 ways to draft at batch 2" in told


def test_a_plan_with_a_draft_model_knows_its_cost(tiny: LanguageModel):
    ticks = iter(range(10**9))
    found = plan(tiny, {"one": [[5, 6], [9, 8]]}, draft_model=tiny, batches=(2,), widths=(1,), max_tokens=4, clock=lambda: next(ticks))
    assert found.draft_model == tiny.name
    assert found.costs["one"].draft is not None
    assert {option.model for option in found.advices[0].options} == {True, False}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"prompts": {"one": [[1]]}}, "the prompts of one to plan from are 1; give at least 2"),
        ({"prompts": {}}, "there is nothing to plan for"),
        ({"temperatures": ()}, "there is nothing to plan for"),
        ({"batches": (0,)}, r"the batches to plan for are \[0\]; give numbers of at least 1"),
        ({"widths": ()}, r"the widths to plan for are \[\]"),
    ],
)
def test_what_cannot_be_planned_is_refused(tiny: LanguageModel, changed, sentence):
    with pytest.raises(BadRequest, match=sentence):
        plan(tiny, **{"prompts": {"one": [[1], [2]]}, **changed})
