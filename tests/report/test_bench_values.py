"""A benchmark for programs: every number of the tables, and no ratio that was refused."""

import json
import math
from dataclasses import replace

import pytest

from draftproof.report.bench_values import bench_document

from .audits import HOSTILE
from .benches import PLAIN, alone, lookup, report, saying, with_everything

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def values(made):
    return json.loads(bench_document(made))


def test_the_head_says_what_it_is():
    found = values(with_everything())
    assert (found["kind"], found["schema_version"], found["evidence"]) == ("bench", 1, ["speed"])
    assert found["complete"]
    assert found["machine"]["cores"] == 2
    assert found["command"].startswith("draftproof bench")
    assert "passes" not in found["settings"]


def test_the_three_tables_are_three_lists():
    found = values(with_everything())
    assert {one["table"] for one in found["one"]} == {"one"}
    assert {one["table"] for one in found["service"]} == {"service"}
    assert {one["table"] for one in found["tail"]} == {"tail"}
    assert all("speed_up" not in one for name in ("one", "service", "tail") for one in found[name])


def test_what_is_not_claimed_is_null_and_says_what_it_takes():
    plain = next(one for one in values(report(*alone()))["one"] if one["contender"] == PLAIN)
    assert plain["gap_seconds"][2]["value"] is None
    assert plain["gap_seconds"][2]["needed"] == 299
    assert math.isclose(plain["first_seconds"]["value"], 0.052, rel_tol=0.1)


def test_what_is_refused_has_no_number_anywhere():
    found = values(report(*alone(), noise_limit=1e-6))
    assert [one["speed_up"] for one in found["speed_ups"]] == [None, None]
    assert all(one["refused"] for one in found["speed_ups"])
    assert found["predictions"] == []
    told = values(report(*alone()))
    assert [one["speed_up"]["interval"] is not None for one in told["speed_ups"]] == [True, True]
    assert [one["contender"] for one in told["predictions"]] == [lookup(1), lookup(3)]


def test_hostile_text_is_a_string():
    assert values(saying(HOSTILE))["settings"][HOSTILE] == HOSTILE


def test_what_is_not_predicted_and_what_is_left_out_is_said():
    made = report(*alone(), settings=[("passes", "[1]")])
    assert values(made)["not_predicted"] == made.unpredicted != []
    assert values(report(*alone()))["not_predicted"] == []
    assert [values(replace(made, recorded=replace(made.recorded, cut=cut)))["last_line_left_out"] for cut in (False, True)] == [False, True]
