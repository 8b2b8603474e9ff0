"""`draftproof lint`: what is read, what is written, and the exit codes."""

import io
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from .conftest import Command, Run

SAMPLED = '{\n  "do_sample": false,\n  "temperature": 0.6\n}\n'


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration with a warning, in the current directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "generation_config.json"
    path.write_text(SAMPLED)
    return path


@pytest.mark.usefixtures("file")
def test_a_warning_is_shown_with_its_place_and_fails(run: Command) -> None:
    done = run("lint", "generation_config.json", "--version", "5.24.0")
    assert done == Run(
        1,
        "warning  generation_config.json:3:3  transformers-sampling-while-greedy\n"
        "    temperature 0.6 has no effect, because do_sample is not true and the likeliest token is taken.\n"
        "    Set do_sample to true, or remove it.\n"
        "1 warning; 2 options, judged as transformers 5.24.0\n",
        "",
    )


def test_a_note_does_not_fail_and_quiet_hides_it(run: Command) -> None:
    words = ("--", "llama-server", "--spec-type", "draft-mtp")
    loud, quiet = run("lint", "--version", "b9600", *words), run("lint", "--version", "b9600", "-q", *words)
    assert (loud.code, quiet.code) == (0, 0), loud.err
    assert loud.out.startswith("note     argument 2  llamacpp-greedy-drafts\n")
    assert quiet.out == "1 note; 1 option, judged as llamacpp b9600\n"


def test_words_after_two_dashes_belong_to_the_engine(run: Command) -> None:
    done = run("lint", "--engine", "llamacpp", "--", "llama-server", "--json", "--version", "--engine", "-md", "d.gguf", "--", "-q")
    assert done.code == 1
    assert "argument 5  llamacpp-draft-not-used" in done.out


@pytest.mark.usefixtures("file")
def test_a_call_on_top_of_its_file(run: Command) -> None:
    assert run("lint", "generation_config.json", "--version", "5.24", "--", "do_sample=True").code == 0


def test_standard_input(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SAMPLED.encode())))
    assert "warning  standard input:3:3  " in run("lint", "-").out


@pytest.mark.usefixtures("file")
def test_one_document_for_a_program(run: Command) -> None:
    done = run("lint", "generation_config.json", "--json")
    document = json.loads(done.out)
    assert (done.code, document["kind"], document["source"]) == (1, "lint", "generation_config.json")
    assert [(finding["rule"], finding["line"]) for finding in document["findings"]] == [
        ("transformers-sampling-while-greedy", 3),
        ("version-not-given", None),
    ]


def test_a_sarif_document_beside_the_text(run: Command, file: Path) -> None:
    done = run("lint", "generation_config.json", "--version", "5.24", "--sarif", "lint.sarif")
    assert (done.code, done.out.count("\n")) == (1, 4)
    (result,) = json.loads((file.parent / "lint.sarif").read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"do_sample": true,\n "top_k": NaN}', "bad.json, line 2, column 11: a JSON value is expected"),
        (b'{"do_sample": true', "bad.json, line 1, column 19: a comma or } is expected"),
        (b"[" * 10_000, "bad.json, line 1, column 65: objects and lists are nested more than 64 deep"),
        (b"[]", "bad.json, line 1, column 1: the JSON is no object"),
        (b"{}", "cannot tell for which engine this is"),
        (b"", "bad.json, line 1, column 1: a JSON value is expected"),
        (b"GGUF\0\0", "bad.json, line 1: there is a zero byte, so this is a binary file"),
        (b'{"a": "\xff"}', "bad.json, line 1: byte 8 is not UTF-8"),
        (b" " * (2**20 + 1), "bad.json is larger than 1,048,576 bytes"),
        (b"{" + b",".join(b'"k%d": 1' % number for number in range(1001)) + b', "do_sample": 1}', "there are more than 1,000 options"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_bytes(text)
    done = run("lint", "bad.json", "--sarif", "lint.sarif")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"draftproof: {message}")
    assert done.err.count("\n") == 1
    assert not Path("lint.sarif").exists()


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is nothing to read; give a configuration file, or the arguments of an engine after --"),
        (("missing.json",), "cannot read missing.json: No such file or directory"),
        (("generation_config.json", "--engine", "tgi"), "there is no engine 'tgi'"),
        (("generation_config.json", "--engine", "sglang"), "generation_config.json holds JSON, and SGLang is configured by arguments"),
        (("generation_config.json", "--version", "soon"), "'soon' is not a version"),
        (("generation_config.json", "--sarif", "no/such/x.sarif"), "cannot write no/such/x.sarif: there is no folder no/such"),
        (("generation_config.json", "--sarif", "."), "cannot write .: Is a directory"),
        (("--", "ls", "-l"), "cannot tell for which engine this is; say so with --engine"),
        (("--engine", "vllm", "--", "vllm", "serve", "--speculative-config", "{"), "--speculative-config (argument 3), line 1, column 2: "),
    ],
)
def test_misuse_is_one_sentence(run: Command, arguments: tuple[str, ...], message: str) -> None:
    done = run("lint", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"draftproof: {message}")


def test_the_help_teaches_by_examples_and_says_what_the_exit_code_means(run: Command) -> None:
    done = run("lint", "--help")
    assert done.code == 0
    assert "draftproof lint -- llama-server -m target.gguf -md draft.gguf" in done.out
    assert "Exit codes: 0 nothing worse than a note, 1 an error or a warning" in done.out


PAGE = (Path(__file__).parents[2] / "docs" / "linting.md").read_text()
FAILING = re.findall(r"```text\n\$ draftproof (.*?)\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_has_examples_that_fail() -> None:
    assert len(FAILING) >= 3


@pytest.mark.parametrize(("arguments", "output"), FAILING)
def test_an_example_of_the_page_that_fails_prints_what_is_shown(run: Command, arguments: str, output: str) -> None:
    done = run(*shlex.split(arguments))
    assert (done.code, done.out) == (1, output)
