"""What a sitting writes loses nothing: raw runs, prompts and files of others stay as they are."""

import os
from pathlib import Path

import pytest

from draftproof.cli.bench_files import check_files
from draftproof.errors import BadRequest

PAGE = '<!doctype html>\n<html>\n<head>\n<meta name="generator" content="draftproof bench">\n'
DOCUMENT = '{\n  "kind": "bench",\n  "schema_version": 1\n}\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with raw runs, prompts and a folder of an earlier sitting; it is where the command runs."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"runs.jsonl": "runs\n", "mine.jsonl": "prompts\n", "kept/runs.jsonl": "other runs\n"}.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    return tmp_path


def check(*, out: str = "", html: str = "", of_file: str = "", prompts: str = "") -> None:
    paths = {"out": out, "html": html, "of_file": of_file, "prompts": prompts}
    check_files(**{name: Path(text) if text else None for name, text in paths.items()})


def refused(sentence: str, **asked: str) -> None:
    with pytest.raises(BadRequest) as found:
        check(**asked)
    assert sentence in str(found.value)


@pytest.mark.usefixtures("here")
class TestPage:
    def test_may_be_new_empty_ours_or_a_device(self) -> None:
        Path("empty.html").write_text("")
        Path("ours.html").write_text(PAGE)
        for html in ("new.html", "empty.html", "ours.html", os.devnull):
            check(html=html, of_file="runs.jsonl")

    @pytest.mark.parametrize("html", ["runs.jsonl", "./kept/../runs.jsonl", "link.html", "hard.html"])
    def test_is_not_written_over_the_runs_that_are_read(self, html: str) -> None:
        Path("link.html").symlink_to("runs.jsonl")
        Path("hard.html").hardlink_to("runs.jsonl")
        refused("--html and --from would be one file", html=html, of_file="runs.jsonl")

    def test_is_not_written_over_the_prompts(self) -> None:
        refused("--html and --prompts would be one file, mine.jsonl", html="mine.jsonl", prompts="mine.jsonl")

    def test_is_not_written_over_what_the_sitting_itself_writes(self) -> None:
        Path("link.html").symlink_to("new/runs.jsonl")
        Path("new").mkdir()
        for html in ("new/runs.jsonl", "link.html"):
            refused("--html and the raw runs would be one file", html=html, out="new")
        refused("--html and the document of --out would be one file", html="new/run.json", out="new")
        check(html="new/report.html", out="new")

    @pytest.mark.parametrize("text", ["<!doctype html>\n<title>mine</title>\n", "weights", DOCUMENT])
    def test_is_not_written_over_a_file_of_others(self, text: str) -> None:
        Path("mine.html").write_text(text)
        refused("mine.html is there and was not written by draftproof bench; give another name", html="mine.html")

    def test_needs_a_folder_that_is_there(self) -> None:
        refused("there is no folder no", html="no/page.html")
        refused("it is a folder; give a file in it", html="kept")


@pytest.mark.usefixtures("here")
class TestFolder:
    def test_may_be_new_or_that_of_the_same_runs(self) -> None:
        check(out="new")
        check(out="kept", of_file="kept/runs.jsonl")
        Path("again").mkdir()
        Path("again/runs.jsonl").write_text("runs\n")
        check(out="again", of_file="runs.jsonl")

    def test_of_another_sitting_is_refused(self) -> None:
        refused("kept/runs.jsonl holds the runs of another sitting", out="kept", of_file="runs.jsonl")

    @pytest.mark.parametrize(("name", "ours"), [("report.html", PAGE), ("run.json", DOCUMENT)])
    def test_with_a_report_of_others_is_refused(self, name: str, ours: str) -> None:
        file = Path("mine") / name
        file.parent.mkdir()
        file.write_text(ours)
        check(out="mine", of_file="runs.jsonl")
        file.write_text('{"kind": "an audit"}')
        refused(f"{file} is there and was not written by draftproof bench", out="mine", of_file="runs.jsonl")
        file.unlink()
        file.mkdir()
        refused("it is a folder", out="mine")
