"""Many configurations: what is finished is kept, and not proved again."""

import multiprocessing
from dataclasses import replace
from fractions import Fraction
from math import factorial
from pathlib import Path

import pytest

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.proof.executor import each
from draftproof.proof.generation import Configuration, Result, campaign, running, versions
from draftproof.proof.generation.result import Verdict
from draftproof.proof.generation.store import append, read

MANY = [Configuration(name) for name in ("a", "b", "c")]


def result(configuration: Configuration) -> Result:
    verdict = Verdict(Word.FAIL, 0.25, 1e-5, (0, 1), Fraction(1, 3), Fraction(1, 2))
    return Result(configuration.name, configuration.digest(versions()), verdict, versions=versions())


@pytest.fixture
def proved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was proved, in order; "interrupt" in it interrupts what follows."""
    names: list[str] = []

    def prove(configuration: Configuration, *, confirmed: bool) -> Result:
        if names[-1:] == ["interrupt"]:
            raise KeyboardInterrupt
        names.append(configuration.name)
        return result(configuration)

    monkeypatch.setattr(running, "prove", prove)
    return names


def test_an_interrupted_campaign_goes_on_where_it_was(proved: list[str], tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    first = campaign(MANY, kept_in=file)
    seen = [next(first).name, next(first).name]
    proved.append("interrupt")
    with pytest.raises(KeyboardInterrupt):
        next(first)
    with file.open("a") as cut:
        cut.write('{"name": "c", "dig')  # the machine stopped while a line was written
    del proved[:]
    again = list(campaign(MANY, kept_in=file))
    assert (seen, proved) == (["a", "b"], ["c"])
    assert again == [result(one) for one in MANY]
    assert len(read(file)) == 3


def test_another_version_or_configuration_is_proved_again(proved: list[str], tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    append(file, [result(replace(MANY[0], length=2))])
    list(campaign(MANY[:1], kept_in=file))
    assert proved == ["a"]
    assert MANY[0].digest(versions()) != MANY[0].digest({**versions(), "torch": "0"})


def test_a_verdict_that_must_be_confirmed_is_proved_again(proved: list[str], tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    append(file, [result(MANY[0])])
    list(campaign(MANY[:1], kept_in=file))
    list(campaign(MANY[:1], kept_in=file, confirmed=True))
    assert proved == ["a"]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello\nworld\n")
    with pytest.raises(BadRequest, match=r"line 1 of .* is no result"):
        list(campaign(MANY, kept_in=file))


def test_one_worker_works_in_this_process() -> None:
    seen: list[int] = []
    assert list(each(seen.append, [3, 4], workers=1)) == [None, None]
    assert seen == [3, 4]


def test_processes_do_the_work_and_an_error_in_one_ends_it() -> None:
    with pytest.raises(ValueError, match="negative"):
        list(each(factorial, [3, 4, -1], workers=2))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("content", [b"[1]\n\n", b"\xff\xfe\n\n", None])
def test_a_file_that_holds_something_else_is_one_sentence(tmp_path, content):
    path = tmp_path if content is None else tmp_path / "kept"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadRequest, match="result"):
        read(path)


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path):
    with pytest.raises(BadRequest, match="cannot be kept"):
        append(tmp_path / "missing" / "kept", [])
