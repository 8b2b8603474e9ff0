"""`draftproof prove transformers`: options, words and exit codes, on results that are played."""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner
from typer.testing import Result as Run

from draftproof.cli.prove_transformers import transformers
from draftproof.errors import BadRequest
from draftproof.proof import generation
from draftproof.proof.campaign import Word
from draftproof.proof.generation import Configuration, Result
from draftproof.proof.generation.result import Verdict


def result(word: Word = Word.PASS, name: str = "lookup", **fields: Any) -> Result:
    verdict = Verdict(word, 0.25, 1e-5, (0, 1), Fraction(1, 2), Fraction(1, 4)) if word is Word.FAIL else Verdict(word)
    return Result(name, "00", verdict, paths=7, versions={"transformers": "5"}, **fields)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the campaign was asked; it plays the results under "play", and interrupts at None."""
    asked: dict[str, Any] = {"play": [result()]}

    def campaign(configurations: Sequence[Configuration], **options: Any) -> Iterator[Result]:
        asked.update(options, names=[one.name for one in configurations])
        for one in asked["play"]:
            if one is None:
                raise KeyboardInterrupt
            yield one

    monkeypatch.setattr(generation, "campaign", campaign)
    return asked


def run(*arguments: str) -> Run:
    app = typer.Typer()
    app.command()(transformers)
    return CliRunner().invoke(app, [*arguments, "--no-progress"])


@pytest.mark.parametrize(
    ("play", "code"),
    [
        ([result()], 0),
        ([result(), result(Word.FAIL)], 1),
        ([result(Word.FAIL, declared_lossy=True), result()], 0),
        ([result(Word.INCONCLUSIVE), result()], 3),
        ([result(Word.FAIL, contradicted=True), result()], 3),
        ([result(Word.SKIPPED, reason="the library refuses: no")], 5),
        ([result(Word.ERROR, reason="AttributeError: no")], 1),
        ([result(), None], 130),
    ],
)
def test_the_worst_word_decides_the_exit_code(asked: dict[str, Any], play: list[Result | None], code: int) -> None:
    asked["play"] = play
    assert run().exit_code == code


def test_a_deviation_is_shown_with_its_reproduction_and_a_pass_only_if_wanted(asked: dict[str, Any]) -> None:
    asked["play"] = [result(), result(Word.FAIL, name="guidance", reproduction="prompt [0, 1]\nprint(1)", confirmed="900 samples")]
    out = run("-q").output
    assert "(0, 1) has 0.500000 and should have 0.250000" in out
    assert "prompt [0, 1]" in out
    assert "independent run: 900 samples" in out
    assert "lookup" not in out
    assert "lookup" in run().output


def test_what_is_proved_can_be_chosen(asked: dict[str, Any], tmp_path: Path) -> None:
    run()
    few = asked["names"]
    run("--full", "--confirm", "--workers", "3", "--resume", str(tmp_path / "kept"))
    assert set(few) < set(asked["names"])
    assert (asked["confirmed"], asked["workers"], asked["kept_in"]) == (True, 3, tmp_path / "kept")
    run("--only", "lookup", "--only", "llama")
    assert asked["names"] == ["lookup", "llama"]
    assert run("--list").output.splitlines() == [one.name for one in generation.full()]


def test_an_unknown_name_and_a_contradiction_are_refused(asked: dict[str, Any]) -> None:
    for arguments, message in ((("--only", "lokup"), "--list shows them all"), (("--quick", "--full"), "give one of them")):
        error = run(*arguments).exception
        assert isinstance(error, BadRequest)
        assert message in str(error)


def test_documents_for_programs(asked: dict[str, Any], tmp_path: Path) -> None:
    asked["play"] = [result(), result(Word.FAIL, name="guidance"), result(Word.SKIPPED, name="mamba", reason="refused")]
    done = run("--json", "--junit", str(tmp_path / "out.xml"))
    content = json.loads(done.stdout)
    assert (content["kind"], content["word"], content["exit_code"]) == ("prove transformers", "FAIL", 1)
    assert content["results"][1]["verdict"]["observed"] == "1/2"
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")


def test_names_are_unique_and_the_quick_matrix_is_part_of_the_full_one() -> None:
    names = [one.name for one in generation.full()]
    assert len(names) == len(set(names))
    assert {one.name for one in generation.quick()} < set(names)
