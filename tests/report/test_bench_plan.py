"""A plan as a report: the answer in words, the ways beside it, what it rests on, and the same for programs."""

import io
import json
import shlex
from dataclasses import replace

import pytest
from rich.console import Console

from draftproof.bench.acceptance import Acceptance
from draftproof.bench.advice import Advice, BreakEven, Option
from draftproof.bench.contender import Round
from draftproof.bench.contenders.spec import parse
from draftproof.bench.costs import Costs
from draftproof.bench.plan import Plan
from draftproof.report.bench_plan import LIMITS, advice_lines, best_by_drafter, measuring, plan_document, plan_lines

from .audits import HOSTILE
from .benches import COST, head

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

SEEN = Acceptance((Round(3, 2), Round(3, 0), Round(0, 0)), 5)


def option(drafter: str, width: int | str, speedup: float) -> Option:
    return Option(drafter, width, False, speedup, speedup - 0.05, speedup + 0.05, speedup, SEEN)


def advice(*options: Option, batch: int = 1, workload: str = "chat") -> Advice:
    return Advice(workload, 0.0, batch, options, options[0].speedup - 0.01, (BreakEven(3, 1.2, 0.2),))


def plan(*advices: Advice, target: str = "smollm2") -> Plan:
    costs = {one.workload: Costs(COST, None, 0.5, 1.0) for one in advices}
    return Plan(target, "", dict.fromkeys(costs, 10), 64, costs, advices, 12.0)


def shown(made: Plan) -> str:
    file = io.StringIO()
    console = Console(file=file, width=200, color_system=None)
    for line in plan_lines(made, head()):
        console.print(line)
    return file.getvalue()


GAINS = advice(option("lookup", 5, 1.4), option("lookup", 3, 1.3), option("suffix", "auto", 1.2))
LOSES = advice(option("lookup", 1, 0.98), batch=16)


def test_the_answer_comes_with_the_best_width_of_each_drafter():
    text = shown(plan(GAINS, LOSES))
    assert "chat, temperature 0, one request at a time" in text
    assert "Draft with lookup 5: 1.40 times as fast" in text
    assert "suffix auto: 1.20 (1.15–1.25), 1.67 tokens a pass, drafts in 67% of the rounds" in text
    assert "lookup 3" not in text
    assert "chat, temperature 0, 16 requests together" in text
    assert "Do not draft" in text


@pytest.mark.parametrize(("drift", "told"), [(1.0, False), (1.08, False), (1.3, True), (0.7, True)])
def test_a_machine_that_changed_in_between_is_told(drift, told):
    made = replace(plan(GAINS), drift={"chat": drift})
    assert (f"took {drift:.2f} times what these costs say: the machine changed" in shown(made)) == told
    assert json.loads(plan_document(made, head()))["drift"] == {"chat": drift}


def test_it_says_on_what_machine_and_who_else_was_at_work():
    text = shown(plan(GAINS))
    assert "Machine: a processor, 2 cores, 8 GiB, Linux, x86_64." in text
    assert "Load: 0.50 processes on average in the minute before." in text
    found = json.loads(plan_document(plan(GAINS), head()))
    assert found["load_before"] == [0.5, 0.4, 0.3]
    assert {"command", "machine", "versions", "started"} <= found.keys()
    busy = io.StringIO()
    for line in plan_lines(plan(GAINS), replace(head(), load=(4.0, 1.0, 1.0))):
        Console(file=busy, width=200, color_system=None).print(line)
    assert "more than an idle machine has, so these times are not those of one" in busy.getvalue()


def test_it_says_what_it_rests_on_and_that_it_is_predicted():
    text = shown(plan(GAINS))
    assert "Prompts: 10 of chat; 64 tokens of each" in text
    assert "2 rows 50.0 ms" in text
    assert all(sentence in text for sentence in LIMITS)


def test_the_answers_alone_are_a_line_each():
    lines = [line.plain for line in advice_lines(plan(GAINS, LOSES))]
    assert lines == [
        f"chat, temperature 0, one request at a time: {GAINS.words}",
        f"chat, temperature 0, 16 requests together: {LOSES.words}",
    ]
    assert all(line.plain.isprintable() for line in advice_lines(plan(advice(option("lookup", 5, 1.4), workload=HOSTILE))))


COMMAND = "draftproof bench --plan --workload chat --temperature 0 --draft small --slots 1,16 -q"


def test_the_command_that_measures_it_names_the_best_ways_where_drafting_is_promising():
    with_model = advice(replace(option("best_of", "auto", 1.3), model=True), batch=16)
    begins = "draftproof bench --workload chat --temperature 0"
    assert measuring(plan(GAINS, LOSES), COMMAND) == f"{begins} --engine ours:lookup,width=5 --table one"
    assert measuring(plan(GAINS, with_model), COMMAND) == (
        f"{begins} --engine ours:lookup,width=5 --engine ours:best_of,draft=small --table one,service --slots 16"
    )
    assert measuring(plan(LOSES), COMMAND) == ""
    assert "To measure" not in shown(plan(LOSES))


def test_the_command_that_measures_it_is_understood():
    made = plan(GAINS, advice(option("suffix", "auto", 1.3), batch=4))
    words = shlex.split(measuring(made, COMMAND))
    specs = [parse(words[place + 1]) for place, word in enumerate(words) if word == "--engine"]
    assert [(spec.way, spec.width) for spec in specs] == [("lookup", 5), ("suffix", None)]


def test_the_best_of_each_drafter_in_order():
    assert [one.name for one in best_by_drafter(GAINS)] == ["lookup 5", "suffix auto"]


def test_a_program_reads_every_way():
    found = json.loads(plan_document(plan(GAINS, LOSES), head()))
    assert (found["kind"], found["evidence"], found["measured"]) == ("bench plan", ["speed"], False)
    assert [one["draft"] for one in found["advice"]] == [True, False]
    assert [one["width"] for one in found["advice"][0]["options"]] == [5, 3, "auto"]
    assert found["costs"]["chat"]["round_ms"] == 0.5


def test_hostile_text_is_text():
    made = plan(advice(option("lookup", 5, 1.4), workload=HOSTILE), target=HOSTILE)
    assert all(line.isprintable() for line in shown(made).splitlines())
    assert json.loads(plan_document(made, head()))["target"] == HOSTILE
