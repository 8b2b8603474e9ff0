"""The cost of passes among the settings: what is written is read, and what is damaged is refused."""

import pytest

from draftproof.errors import BadRequest
from draftproof.models.cost import PassCost
from draftproof.report.bench_costs import SETTING, Passes, read, written

from .benches import COST, alone

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def test_what_is_written_is_read():
    passes = (Passes("one", "chat", COST, PassCost(((1, 2.0), (4, 3.5)), 2)), Passes("two", "code_edit", COST))
    assert read([("target", "smollm2"), written(passes)]) == passes
    assert read([("target", "smollm2")]) == ()


@pytest.mark.parametrize(
    "text", ["nothing", "[1]", '[{"contender": "one"}]', '[{"contender": "a", "workload": "b", "target": {"x": 1}, "draft": null}]']
)
def test_what_is_damaged_is_one_sentence(text):
    with pytest.raises(BadRequest, match="the cost of passes among the settings cannot be read"):
        read([(SETTING, text)])


def test_what_is_outside_a_pass_comes_from_runs_without_drafts():
    costs = Passes("one", "chat", COST).costs([one for one in alone() if not one.drafts])
    assert costs.round_ms > 0
    assert costs.token_ms > 0
    assert costs.draft is None
