"""`draftproof bench`: measured, kept, made again from what was kept, interrupted, and refused in one sentence."""

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from draftproof.bench import measure
from draftproof.bench.cell import Cell
from draftproof.bench.contender import Served
from draftproof.bench.contenders import source
from draftproof.bench.contenders.own import Own
from draftproof.bench.measure import Heat, Withdrawn
from draftproof.bench.run import Reply
from draftproof.bench.run import Run as Measured
from draftproof.bench.store import RunFile
from draftproof.bench.tail import Limits
from draftproof.cli.bench import read_limits
from draftproof.cli.bench_job import Shown
from draftproof.errors import BadRequest, Unavailable
from draftproof.models.language import LanguageModel

from .conftest import Command, Run

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

Bench = Callable[..., Run]

PROMPTS = "".join(json.dumps({"prompt": f"{word} {word} {word} {word}"}) + "\n" for word in ("hello", "one", "two", "three"))

FAST = ("any", "--prompts", "mine.jsonl", "--temperature", "0", "--max-tokens", "8", "--repeats", "2", "--no-progress")

DRAFTING = ("--engine", "ours:lookup,width=2", "--noise", "1000")


@pytest.fixture
def bench(run: Command, tiny: LanguageModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The command; every name of a model stands for one tiny model, which has been loaded."""
    monkeypatch.setattr(source, "load", lambda name, **how: tiny)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.jsonl").write_text(PROMPTS)
    return lambda *arguments: run("bench", *arguments)


def kept(document: dict) -> dict:
    """What does not depend on when it was made."""
    return {name: value for name, value in document.items() if name != "seconds"}


def test_an_engine_is_measured_beside_itself_without_drafts(bench: Bench) -> None:
    done = bench(*FAST, *DRAFTING)
    assert done.code in (0, 3)
    parts = ["Speed of any", "Evidence: speed alone", "One request:", "mine, temperature 0", "What these numbers do not show", "Run again:"]
    places = [done.out.index(part) for part in parts]
    assert places == sorted(places)
    assert "draftproof float32, no drafts" in done.out
    assert "draftproof float32, lookup, width 2" in done.out
    assert ("refused" in done.out) == (done.code == 3)


def test_a_folder_keeps_raw_runs_report_and_figures_and_makes_them_again(bench: Bench, tmp_path: Path) -> None:
    first = bench(*FAST, *DRAFTING, "--out", "kept", "--json")
    folder = tmp_path / "kept"
    assert {file.name for file in folder.iterdir()} == {"runs.jsonl", "run.json", "report.html", "figures"}
    assert all(file.read_text().startswith("<svg") for file in (folder / "figures").iterdir())
    assert json.loads(first.out) == json.loads((folder / "run.json").read_text())
    again = bench("--from", "kept/runs.jsonl", "--noise", "1000", "--json", "--html", "again.html")
    assert kept(json.loads(again.out)) == kept(json.loads(first.out))
    assert (tmp_path / "again.html").read_text() == (folder / "report.html").read_text()


def test_from_loads_no_engine(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench(*FAST, *DRAFTING, "--out", "kept", "-q")
    monkeypatch.setattr(source, "load", lambda name, **how: pytest.fail("a model was loaded"))
    shown = bench("--from", "kept/runs.jsonl", "--noise", "1000")
    assert "One request:" in shown.out
    assert bench("--from", "kept/runs.jsonl", "--noise", "1e-9").code == 3


def test_figures_are_made_again_in_another_folder(bench: Bench, tmp_path: Path) -> None:
    bench(*FAST, *DRAFTING, "--out", "kept", "-q")
    bench("--from", "kept/runs.jsonl", "--noise", "1000", "--out", "new/again", "-q")
    figures = [{file.name: file.read_bytes() for file in (tmp_path / folder / "figures").iterdir()} for folder in ("kept", "new/again")]
    assert figures[0] == figures[1] != {}
    assert not (tmp_path / "new" / "again" / "runs.jsonl").exists()


def test_no_measurement_is_written_over(bench: Bench, tmp_path: Path) -> None:
    bench(*FAST, *DRAFTING, "--out", "kept", "-q")
    before = (tmp_path / "kept" / "runs.jsonl").read_bytes()
    refused = bench(*FAST, *DRAFTING, "--out", "kept", "-q")
    assert (refused.code, refused.out) == (2, "")
    assert "is there already; give another folder" in refused.err
    assert (tmp_path / "kept" / "runs.jsonl").read_bytes() == before


def test_the_raw_runs_are_not_written_over_by_their_page(bench: Bench, tmp_path: Path) -> None:
    bench(*FAST, *DRAFTING, "--out", "kept", "-q")
    before = (tmp_path / "kept" / "runs.jsonl").read_bytes()
    refused = bench("--from", "kept/runs.jsonl", "--html", "kept/runs.jsonl")
    assert (refused.code, refused.out) == (2, "")
    assert "--html and --from would be one file" in refused.err
    assert (tmp_path / "kept" / "runs.jsonl").read_bytes() == before


def test_a_report_is_written_over_by_itself_alone(bench: Bench, tmp_path: Path) -> None:
    bench(*FAST, *DRAFTING, "--out", "kept", "--html", "page.html", "-q")
    again = ("--from", "kept/runs.jsonl", "--noise", "1000", "--out", "kept", "--html", "page.html", "-q")
    assert bench(*again).code in (0, 3)
    for name in ("page.html", "kept/report.html", "kept/run.json"):
        ours = (tmp_path / name).read_text()
        (tmp_path / name).write_text("{}")
        refused = bench(*again)
        assert (refused.code, refused.out) == (2, "")
        assert f"{name} is there and was not written by draftproof bench" in refused.err
        assert (tmp_path / name).read_text() == "{}"
        (tmp_path / name).write_text(ours)


def test_all_three_tables(bench: Bench) -> None:
    tables = ("--table", "one,service,tail", "--slots", "1,2", "--rate", "50", "--requests", "8", "--limit-ms", "first=500,token=100")
    found = json.loads(bench(*FAST, *DRAFTING, *tables, "--json").out)
    assert (found["kind"], found["schema_version"]) == ("bench", 1)
    assert {one["slots"] for one in found["service"]} == {1, 2}
    assert {(one["rate"], one["slots"]) for one in found["tail"]} == {(50.0, 2)}
    assert found["tail"][0]["limits"] == {"first_seconds": 0.5, "seconds_per_token": 0.1}
    assert found["one"]


def test_what_was_measured_before_an_interrupt_is_kept_and_reported(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*asked: object) -> Iterator[Measured]:
        yield from [run for run, _ in zip(measured(*asked), range(5), strict=False)]
        raise KeyboardInterrupt

    measured = measure.measured
    monkeypatch.setattr(measure, "measured", interrupted)
    done = bench(*FAST, *DRAFTING, "--out", "kept")
    assert done.code == 130
    assert "Ended: early" in done.out
    assert len((tmp_path / "kept" / "runs.jsonl").read_text().splitlines()) == 1 + 5
    assert "Ended: early" in bench("--from", "kept/runs.jsonl").out
    assert "did not come to its end" in bench("--from", "kept/runs.jsonl", "-q").out


def test_what_was_measured_until_the_disk_was_full_is_reported(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        written.append(file)
        if len(written) > 1 + 5:
            raise OSError(errno.ENOSPC, "No space left on device")

    written: list[int] = []
    monkeypatch.setattr(os, "fsync", full)
    done = bench(*FAST, *DRAFTING, "--out", "kept")
    assert done.code == 2
    assert "6 runs" in done.out, "the one that could not be kept is told too"
    assert "Ended: early" in done.out
    assert "Raw data" not in done.out
    assert "runs cannot be kept in kept/runs.jsonl (No space left on device)" in done.err
    assert not (tmp_path / "kept" / "report.html").exists()


def test_what_was_measured_before_the_end_could_not_be_noted_is_reported(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: RunFile) -> None:
        raise BadRequest("runs cannot be kept")

    monkeypatch.setattr(RunFile, "end", full)
    done = bench(*FAST, *DRAFTING, "--out", "kept")
    assert done.code == 2
    assert "16 runs" in done.out
    assert "Ended: early" in done.out


def test_a_last_line_that_was_cut_off_is_left_out_and_told(bench: Bench, tmp_path: Path) -> None:
    bench(*FAST, *DRAFTING, "--out", "kept", "-q")
    runs = tmp_path / "kept" / "runs.jsonl"
    whole = runs.read_bytes().splitlines(keepends=True)
    runs.write_bytes(b"".join(whole[:6]) + whole[6][:40])
    done = bench("--from", "kept/runs.jsonl")
    assert "5 runs" in done.out
    assert "Raw data: the last line of the file is not whole; it is left out" in done.out


def test_an_engine_that_tells_what_cannot_be_withdraws(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def served(self: Own, orders: object, slots: int = 1) -> Served:
        found = serve(self, orders, slots)
        if not self.drafts:
            return found
        return replace(found, deliveries=tuple(replace(one, drafted=0, accepted=9, rounds=()) for one in found.deliveries))

    serve = Own.serve
    monkeypatch.setattr(Own, "serve", served)
    done = bench(*FAST, *DRAFTING, "--out", "kept")
    assert done.out.count("what its engine tells cannot be: more tokens were kept than drafted") == 1
    assert "8 runs" in done.out
    assert "what its engine tells cannot be" in bench("--from", "kept/runs.jsonl").out


@pytest.mark.parametrize("table", ["service", "tail"])
def test_slots_that_nobody_has_are_refused_before_anything_is_measured(bench: Bench, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Own, "serve", lambda *asked: pytest.fail("something was measured"))
    refused = bench(*FAST, *DRAFTING, "--table", table, "--slots", "1,100", "-q")
    assert (refused.code, refused.out) == (2, "")
    assert "--slots: 100 requests at once are more than any contender serves; give at most 64" in refused.err


def test_a_fault_of_ours_is_a_crash_after_what_was_measured(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*asked: object) -> Iterator[Measured]:
        yield next(measured(*asked))
        raise AssertionError("a fault")

    measured = measure.measured
    monkeypatch.setattr(measure, "measured", faulty)
    done = bench(*FAST, *DRAFTING)
    assert done.code == 70
    assert "One request:" in done.out
    assert "fault of draftproof itself" in done.err


def test_an_engine_that_withdraws_is_named_and_nobody_left_is_unreachable(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(self: Own, orders: object, slots: int = 1) -> None:
        raise Unavailable("the engine was ended by SIGKILL; start it again")

    monkeypatch.setattr(Own, "serve", gone)
    done = bench(*FAST, *DRAFTING)
    assert done.code == 4
    assert done.out.count("ended by SIGKILL") == 2


def test_quiet_shows_the_speed_ups_alone(bench: Bench) -> None:
    done = bench(*FAST, *DRAFTING, "-q")
    (line,) = done.out.splitlines()
    assert line.startswith("One request: mine, temperature 0: draftproof float32, lookup, width 2: ")


def test_a_plan_answers_whether_to_draft(bench: Bench) -> None:
    asked = ("any", "--plan", "--prompts", "mine.jsonl", "--temperature", "0", "--max-tokens", "4", "--slots", "1", "--no-progress")
    done = bench(*asked)
    assert done.code == 0
    assert "mine, temperature 0, one request at a time" in done.out
    assert "What it rests on" in done.out
    (answer,) = bench(*asked, "-q").out.splitlines()
    assert answer.startswith("mine, temperature 0, one request at a time: ")
    found = json.loads(bench(*asked, "--json").out)
    assert found["kind"] == "bench plan"
    assert found["advice"][0]["draft"] in (True, False)
    assert found["advice"][0]["options"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--table", "all"], "--table: 'all' is no name; give one, service, tail, separated by commas"),
        (["--table", "one,one"], "--table: one is named twice"),
        (["--workload", "poems"], "there is no workload 'poems'"),
        (["--engine", "nothing"], "'nothing' is no engine"),
        (["--temperature", "hot"], "an entry of --temperature is 'hot'; write a number such as 0.8"),
        (["--temperature", "0,0"], "--temperature: 0 is given twice"),
        (["--temperature", "-1"], "temperature"),
        (["--rate", "1"], "--rate means nothing without tail in --table"),
        (["--slots", "2"], "--slots means nothing without service or tail in --table"),
        (["--table", "service", "--slots", "0.5"], "--slots: 0.5 requests cannot be served at once"),
        (["--table", "service", "--slots", "3e8"], "--slots: 3e+08 requests cannot be served at once; give whole numbers from 1 to 1024"),
        (["--table", "tail", "--rate", "0"], "--rate: 0 arrivals a second are not measured; give numbers from 1e-06 to 1e+06"),
        (["--table", "tail", "--rate", "1e-300"], "--rate: 1e-300 arrivals a second are not measured"),
        (["--table", "tail", "--requests", "100000000000"], "'--requests'"),
        (["--repeats", "1000000000000"], "'--repeats'"),
        (
            ["--table", "tail", "--repeats", "1000", "--requests", "1000"],
            "the tail would have 24,000,000 arrivals in all, and at most 1,000,000",
        ),
        (["--html", "mine.jsonl", "--prompts", "mine.jsonl"], "--html and --prompts would be one file"),
        (["--html", "new/runs.jsonl", "--out", "new"], "there is no folder new"),
        (["--table", "tail", "--limit-ms", "soon=1"], "there is no limit 'soon'; give first=MS, token=MS or both"),
        (["--noise", "0"], "--noise is 0; give a share above 0"),
        (["--from", "runs.jsonl", "--repeats", "2"], "--repeats means nothing with --from, which measures nothing"),
        (["--from", "runs.jsonl"], "runs.jsonl"),
        (["--plan", "--engine", "ours"], "--engine means nothing to a plan"),
        (["--draft", "smollm2"], "--draft means nothing but to a plan; name a draft model in --engine"),
        (["--html", "."], "it is a folder; give a file in it"),
        (["--html", "no/page.html"], "there is no folder no"),
        (["--max-tokens", "0"], "max-tokens"),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_is_loaded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.setattr(source, "load", lambda name, **how: pytest.fail("a model was loaded"))
    refused = bench(*arguments)
    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err


def test_limits_are_milliseconds() -> None:
    assert read_limits("first=500 token=20") == Limits(0.5, 0.02)
    assert read_limits("") == Limits()
    for text in ("first=0", "first=true", "first=x", "first"):
        with pytest.raises(BadRequest, match="--limit-ms"):
            read_limits(text)


ANSWER = Reply(0, 0, 1, 1, 0.0, (1.0,), None, None, (), "")


class Told:
    """Progress that is kept."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str, int | None]] = []

    def at(self, number: int, subject: str, total: int | None = None) -> None:
        self.lines.append((number, subject, total))

    @contextmanager
    def paused(self) -> Iterator[None]:
        yield


def test_progress_names_the_cell_and_the_time_that_is_left() -> None:
    told, clock = Told(), iter([0.0, 60.0, 120.0])
    shown = Shown(told, 4, 9, lambda: next(clock))
    heat = Heat(Cell("tail", "chat", 0.8, 4, 0.5), (), ())
    assert list(shown.announced([heat])) == [heat]
    run = Measured("tail", "chat", 0.8, "one", "an engine", False, 0, 0, 4, 0.5, 1.0, (), (ANSWER,) * 3)
    shown.took(run)
    shown.took(run)
    where = "tail: chat, temperature 0.8, 4 at once, 0.5 a second: runs measured"
    assert told.lines == [(0, where, 4), (1, f"{where}, about 2 min left", 4), (2, f"{where}, about 60 s left", 4)]


def test_the_length_of_a_sitting_is_told_once_after_its_first_run(capsys: pytest.CaptureFixture[str]) -> None:
    run = Measured("one", "chat", 0.8, "one", "an engine", False, 0, 0, 1, 0.0, 1.0, (), (ANSWER,))
    for tell_length in (True, False):
        shown = Shown(Told(), 961, 961, iter(range(0, 100, 10)).__next__, tell_length=tell_length)
        shown.took(Withdrawn(Cell("one", "chat", 0.8), "other", "it is not there"))
        assert capsys.readouterr().err == ""
        shown.took(run)
        shown.took(run)
        told = "961 runs, about 320 min to go; --first, --repeats or --workload make it shorter\n"
        assert capsys.readouterr().err == (told if tell_length else "")


@pytest.mark.parametrize(("arguments", "told"), [((), True), (("--repeats", "2"), False), (("--first", "4"), False), (("-q",), False)])
def test_the_length_of_a_sitting_is_told_where_nobody_said_it(bench: Bench, arguments: tuple[str, ...], told: bool) -> None:
    asked = ("any", "--prompts", "mine.jsonl", "--temperature", "0", "--max-tokens", "4", "--no-progress")
    done = bench(*asked, *DRAFTING, *arguments)
    assert ("32 runs, about" in done.err) == told
