"""The cost of passes among the settings: what is written is read, and what is damaged is refused."""

import json
import math

import pytest

from draftproof.errors import BadRequest
from draftproof.models.cost import PassCost
from draftproof.report.bench_costs import SETTING, Passes, read, written

from .benches import COST, alone

GOOD = {"measured": [[1, 10.0], [2, 11.0]], "least_rows": 1, "steps": [], "change_ms": 0.0}

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def test_what_is_written_is_read():
    passes = (Passes("one", "chat", COST, PassCost(((1, 2.0), (4, 3.5)), 2)), Passes("two", "code_edit", COST))
    assert read([("target", "smollm2"), written(passes)]) == passes
    assert read([("target", "smollm2")]) == ()


@pytest.mark.parametrize(
    "text",
    [
        "nothing",
        "[1]",
        "5",
        "null",
        "[null]",
        '{"a": 1}',
        "[" * 100_000,
        '[{"contender": "one"}]',
        '[{"contender": 1, "workload": "b", "target": {}, "draft": null}]',
        *(
            json.dumps([{"contender": "a", "workload": "b", "target": target, "draft": None}])
            for target in (
                {"x": 1},
                {},
                [1, 2],
                {**GOOD, "extra": 1},
                {**GOOD, "measured": 5},
                {**GOOD, "measured": [[1, 10.0]]},
                {**GOOD, "measured": [[1, 10.0, 2], [2, 11.0, 3]]},
                {**GOOD, "measured": [["1", 10.0], ["2", 11.0]]},
                {**GOOD, "measured": [[1.5, 10.0], [2.5, 11.0]]},
                {**GOOD, "measured": [[1, math.nan], [2, 11.0]]},
                {**GOOD, "measured": [[1, 1e-300], [2, 11.0]]},
                {**GOOD, "measured": [[1, 1e300], [2, 1.1e300]]},
                {**GOOD, "measured": [[1, 10.0], [10**9, 11.0]]},
                {**GOOD, "measured": [[rows, 10.0] for rows in range(1, 2000)]},
                {**GOOD, "least_rows": 10**9},
                {**GOOD, "steps": [10**9]},
                {**GOOD, "steps": ["a"]},
                {**GOOD, "change_ms": "x"},
                {**GOOD, "change_ms": math.nan},
                {**GOOD, "read_share": 1.5},
                {**GOOD, "read_share": "x"},
            )
        ),
    ],
    ids=lambda text: f"{text:.100}",
)
def test_what_is_damaged_is_one_sentence(text):
    with pytest.raises(BadRequest, match="the cost of passes among the settings cannot be read"):
        read([(SETTING, text)])


def test_what_is_not_damaged_is_read():
    (found,) = read([(SETTING, json.dumps([{"contender": "a", "workload": "b", "target": GOOD, "draft": GOOD}]))])
    assert found == Passes("a", "b", *[PassCost(((1, 10.0), (2, 11.0)))] * 2)


def test_what_is_outside_a_pass_comes_from_runs_without_drafts():
    costs = Passes("one", "chat", COST).costs([one for one in alone() if not one.drafts])
    assert costs.round_ms > 0
    assert costs.token_ms > 0
    assert costs.draft is None
