"""`draftproof generate`: text on stdout, how it went on stderr, and every wish kept or refused in a sentence."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from draftproof.engine import Engine
from draftproof.errors import Unavailable
from draftproof.models import weights
from draftproof.models.language import LanguageModel

from .conftest import Command, Run

Generate = Callable[..., Run]


@pytest.fixture
def generate(run: Command, tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> Generate:
    """The command on the tiny model, which stands for every name that begins with `tiny`."""
    honest = weights.load
    monkeypatch.setattr(weights, "load", lambda source, **how: tiny if source == "tiny" else honest(source, **how))
    return lambda *arguments: run("generate", "--target", "tiny", "--no-progress", "--max-tokens", "24", *arguments)


def test_the_text_is_on_stdout_and_the_rest_on_stderr(generate: Generate, tiny: LanguageModel) -> None:
    done = generate("--seed", "4", "--drafter", "lookup", "--width", "3", "hello")
    expected = Engine(tiny, drafter="none").generate("hello", seed=4, max_tokens=24)[0]
    assert done.code == 0
    assert done.out == expected.text + "\n"
    assert f"{len(expected.tokens)} tokens in " in done.err
    assert "seed 4, ended by" in done.err


def test_a_prompt_comes_from_stdin_too(generate: Generate, monkeypatch: pytest.MonkeyPatch) -> None:
    direct = generate("--seed", "4", "hello")
    for arguments in ([], ["-"]):
        monkeypatch.setattr(sys, "stdin", io.StringIO("hello"))
        assert generate("--seed", "4", *arguments).out == direct.out
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert generate().code == 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_marks_show_where_tokens_came_from_without_colour(generate: Generate) -> None:
    shown = generate("--seed", "4", "--drafter", "lookup", "--width", "3", "--show-tokens", "--temperature", "0", "aaaa aaaa")
    first, _, text = shown.out.partition("\n")
    assert first.startswith("tokens: [accepted] (drafted and kept), ~recovered")
    assert "~" in text
    assert "\x1b" not in shown.out


def test_a_program_gets_one_document(generate: Generate) -> None:
    done = generate("--seed", "4", "--drafter", "lookup", "--width", "3", "--json", "--evidence", "hello hello hello")
    assert done.code == 0
    found = json.loads(done.out)
    assert (found["kind"], found["seed"], found["rule"]) == ("generate", 4, "coupled")
    assert "".join(token["text"] for token in found["tokens"]) == found["text"]
    assert sum(each["emitted"] for each in found["rounds"]) == len(found["tokens"])
    assert sum(each["drafted"] for each in found["rounds"]) == found["drafted"] > 0
    evidence = found["evidence"]
    assert evidence["law"]["word"] == "PASS"
    assert evidence["law"]["drafted"] == found["drafted"]
    assert evidence["state"] == {
        "word": "PASS",
        "tokens": len(found["tokens"]),
        "worst_nats": 0.0,
        "row_invariant": True,
        "tolerance_nats": 0,
    }
    assert len(evidence["speed"]["ratios"]) == 5
    assert evidence["speed"]["same_text"] is True
    assert sum(evidence["speed"]["shares"].values()) == pytest.approx(1)


def test_evidence_for_a_reader_has_three_kinds_and_no_more(generate: Generate) -> None:
    done = generate("--seed", "4", "--drafter", "lookup", "--width", "3", "--evidence", "hello hello hello")
    lines = [line for line in done.out.splitlines() if line.startswith(("law ", "state ", "speed "))]
    assert [line.split()[0] for line in lines] == ["law", "state", "speed"]
    assert "PASS" in lines[0]
    assert "must be 0" in lines[1]
    assert "×" in lines[2]
    assert "PASS" not in lines[2]


def test_without_drafts_the_law_is_not_tested(generate: Generate) -> None:
    done = generate("--seed", "4", "--drafter", "none", "--evidence", "hello")
    assert done.code == 0
    assert "law    SKIPPED  no token was drafted" in done.out


def test_a_failed_check_is_exit_code_1(generate: Generate, monkeypatch: pytest.MonkeyPatch) -> None:
    from draftproof.evidence import state

    monkeypatch.setattr(state, "log_prob", lambda logits, token, count=[0]: count.append(0) or len(count) / 1000)
    done = generate("--seed", "4", "--drafter", "lookup", "--width", "3", "--evidence", "hello hello")
    assert done.code == 1
    assert "state  FAIL" in done.out


def test_an_interrupt_ends_the_text_and_says_what_was_done(generate: Generate, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Engine.run

    def interrupted(*arguments: object, **how: object):  # type: ignore[no-untyped-def]
        for count, pieces in enumerate(honest(*arguments, **how)):  # type: ignore[arg-type]
            yield pieces
            if count == 4:
                raise KeyboardInterrupt

    whole = generate("--seed", "4", "--drafter", "none", "hello")
    monkeypatch.setattr(Engine, "run", interrupted)
    done = generate("--seed", "4", "--drafter", "none", "hello")
    assert done.code == 130
    assert whole.out.startswith(done.out.rstrip("\n"))
    assert "5 tokens in 5 rounds" in done.err
    assert "ended by interrupted" in done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([""], "the prompt is empty"),
        (["--max-tokens", "0", "a"], "max_tokens is 0"),
        (["--width", "many", "a"], "--width is 'many'; write auto or a whole number"),
        (["--drafter", "oracle", "a"], "there is no drafter 'oracle'"),
        (["--rule", "oracle", "a"], "there is no rule 'oracle'"),
        (["--drafter", "model", "a"], "the drafter model needs a draft model"),
        (["--temperature", "-1", "a"], "temperature is -1"),
        (["--params", "warmth=3", "a"], "warmth"),
        (["--stop", "", "a"], "stop string 0 is empty"),
        (["a" * 600], "shorten the prompt"),
    ],
)
def test_bad_input_is_one_sentence(generate: Generate, arguments: list[str], sentence: str) -> None:
    done = generate(*arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.startswith("draftproof: ")
    assert done.err.count("\n") == 1


def test_models_that_are_not_there(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\x03\0\0\0")
    for source, sentence in (
        (str(tmp_path / "none.gguf"), "No such file"),
        (str(tmp_path / "cut.gguf"), "damaged or truncated"),
        ("somebody/some-model", "--allow-download"),
    ):
        done = run("generate", "--no-progress", "--target", source, "a")
        assert (done.code, done.out) == (2, ""), done
        assert sentence in done.err

    def full(*arguments: object, **how: object) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(weights, "load", full)
    assert run("generate", "--no-progress", "a") == Run(4, "", "draftproof: the disk is full\n")
