"""A benchmark as a report: made of runs alone, told or refused, with the exit code that follows, and what it does not show."""

from dataclasses import replace

import pytest

from draftproof.bench.cell import ONE, SERVICE, TAIL, Cell
from draftproof.bench.measure import Withdrawn
from draftproof.bench.store import RunFile, read
from draftproof.report.bench import BenchReport, facts, not_shown, parted
from draftproof.report.verdicts import Ended, Exit

from .benches import PACE, PLAIN, PROMPTS, alone, arriving, at_once, lookup, reply, report, run, served, with_everything

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def silent(engine: str = "an engine float32"):
    """A contender that is meant to draft and does not, beside its plain one."""
    for place in range(PROMPTS):
        yield run(Cell(ONE, "chat", 0.0), f"{engine}, lookup", [reply(place, pace=PACE)], repeat=0, turn=0, engine=engine)
        yield run(Cell(ONE, "chat", 0.0), f"{engine}, no drafts", [reply(place, pace=PACE)], repeat=0, turn=0, engine=engine)


def test_each_kind_of_run_has_a_table_of_its_own():
    assert [table.kind for table in with_everything().tables] == [ONE, SERVICE, TAIL]
    assert [table.kind for table in report(*alone()).tables] == [ONE]
    assert [table.kind for table in report(*arriving(), *served()).tables] == [SERVICE, TAIL]
    assert report().tables == []


def test_from_a_file_comes_the_same_report(tmp_path):
    made = with_everything()
    file = RunFile(tmp_path / "runs.jsonl", made.head)
    for one in (*made.runs, *made.recorded.withdrawn):
        file.add(one)
    file.end()
    again = BenchReport(read(file.path))
    assert again.tables == made.tables
    assert again.predictions == made.predictions
    assert again.comparisons == made.comparisons


@pytest.mark.parametrize(
    ("runs", "changes", "code"),
    [
        (lambda: [*alone(), *silent("another")], {}, Exit.PASS),
        (lambda: silent(), {}, Exit.INCONCLUSIVE),
        (lambda: alone(), {"noise_limit": 1e-6}, Exit.INCONCLUSIVE),
        (lambda: arriving(), {}, Exit.PASS),
        (lambda: [one for one in alone() if not one.drafts], {}, Exit.PASS),
        (list, {}, Exit.INCONCLUSIVE),
        (lambda: alone(), {"ended": Ended.INTERRUPTED}, Exit.INTERRUPTED),
        (lambda: alone(), {"ended": Ended.CRASHED}, Exit.CRASH),
    ],
)
def test_the_exit_code_says_whether_anything_is_told(runs, changes, code):
    assert report(*runs(), **changes).exit is code


def test_an_engine_that_was_never_reached_is_unreachable():
    gone = Withdrawn(Cell(ONE, "chat", 0.0), PLAIN, "the server at 127.0.0.1:8000 does not answer")
    assert report(withdrawn=[gone]).exit is Exit.UNREACHABLE
    assert report(*alone(), withdrawn=[gone]).exit is Exit.PASS


def test_it_says_which_evidence_it_is_and_how_noisy_the_machine_was():
    said = dict(facts(report(*alone(wobble=0.2))))
    assert said["Evidence"].startswith("speed alone")
    assert said["Noise"].startswith("the time of equal work varied by 1")
    assert "15% is the limit" in said["Noise"]
    assert said["Machine"] == "a processor, 2 cores, 8 GiB, Linux, x86_64"
    assert "Ended" not in said
    assert "not known" in dict(facts(report()))["Noise"]


def test_a_busy_machine_and_an_early_end_are_told():
    made = report(*alone())
    busy = replace(made.recorded, head=replace(made.head, load=(1.9, 1.0, 1.0)), end=None)
    said = dict(facts(replace(made, recorded=busy)))
    assert said["Load"].endswith("so these times are not those of one")
    assert said["Ended"] == "early: what is not listed was not measured"
    assert "Raw data" not in said
    assert (
        dict(facts(replace(made, recorded=replace(busy, cut=True))))["Raw data"] == "the last line of the file is not whole; it is left out"
    )


def test_a_prediction_stands_only_beside_a_speed_up_that_is_told():
    made = report(*alone())
    assert [found.contender for found in made.predictions] == [lookup(1), lookup(3)]
    assert report(*alone(), noise_limit=1e-6).predictions == []
    assert replace(made, recorded=replace(made.recorded, head=replace(made.head, settings=()))).predictions == []


def test_where_the_text_comes_all_at_once_nothing_is_predicted_and_that_is_said():
    made = report(*map(at_once, alone()))
    assert made.predictions == []
    assert [one.speed_up is not None for one in made.comparisons] == [True, True]
    assert len(made.unpredicted) == 2
    assert made.unpredicted[0].startswith(
        f"Nothing is predicted for {lookup(1)} on chat at temperature 0: the rounds of a request took no time"
    )
    assert report(*alone()).unpredicted == []


def test_where_the_costs_of_passes_are_damaged_nothing_is_predicted_and_that_is_said():
    made = report(*alone(), settings=[("passes", "[1]")])
    assert made.predictions == []
    (sentence,) = made.unpredicted
    assert sentence.startswith("Nothing is predicted: the cost of passes among the settings cannot be read")


def test_predicted_and_observed_part_where_the_costs_were_wrong():
    close, far = report(*alone(widths=(3,))), report(*alone(widths=(3,), gain=0.8))
    assert next(parted(close.predictions[0])).startswith("predicted ")
    assert "it holds" in next(parted(close.predictions[0]))
    assert "it does not hold" in next(parted(far.predictions[0]))
    assert any("rounds with drafts took" in sentence for sentence in parted(far.predictions[0]))


def test_every_report_says_what_it_does_not_show():
    said = " ".join(not_shown(with_everything()))
    assert "target's law" in said
    assert "no ratio between two of them is a speed-up" in said
    assert "Drafting elsewhere" in said
    plain = " ".join(not_shown(report(*[one for one in alone() if not one.drafts])))
    assert "How a service behaves" in plain
    assert "speed-up" not in plain
    assert "one client waits" in " ".join(not_shown(report(*served())))


def test_texts_that_differ_are_told():
    runs = [replace(one, replies=(replace(one.replies[0], digest=one.contender),)) if one.drafts else one for one in alone()]
    assert any("The same texts twice: in 2 of 2" in sentence for sentence in not_shown(report(*runs)))
    assert not any("same texts" in sentence for sentence in not_shown(report(*alone())))


def test_settings_for_a_reader_leave_out_what_a_program_reads():
    assert report(*alone()).settings == [("target", "smollm2")]
