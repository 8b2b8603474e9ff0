"""`draftproof prove MODULE:FUNCTION`: any function by its name, the verdict as an exit code, and misuse in one sentence."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import Command

pytestmark = pytest.mark.usefixtures("unchecked_shapes", "project")

SAMPLER = """
import random
print("imported")
from itertools import accumulate

def pick(weights):
    number = random.random() * sum(weights)
    return next(token for token, edge in enumerate(accumulate(weights)) if number < edge)

def right(p, q, x):
    return x if random.random() * q[x] < p[x] else pick([max(a - b, 0) for a, b in zip(p, q)])

def wrong(p, q, x):
    return x if random.random() * q[x] < p[x] else pick(p)

def coin():
    return random.random() < 0.25

def keeps_nothing(p, q, x):
    return 0 if x else 1

def prints(p, q, x):
    print("accepting...")
    return right(p, q, x)

def wrong_then_none(p, q, x):
    return wrong(p, q, x) if len(p) < 4 else None

def raises(p, q, x):
    raise KeyError(x)

def unknown(a, b):
    return 0

STATE = []
def remembers():
    STATE.append(1)
    return len(STATE)

def leaks():
    return random.random() ** random.random() > 0.5
"""

ROW = ("--arrays", "fractions", "--no-progress")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The current directory of a stranger."""
    (tmp_path / "stranger.py").write_text(SAMPLER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("stranger", None)


def test_an_exact_function_passes(run: Command) -> None:
    done = run("prove", "stranger:right", *ROW)
    assert (done.code, done.err) == (0, "imported\n")
    lines = done.out.splitlines()
    assert lines[0].startswith("PASS          position: F1                  distance 0 ")
    assert lines[-2] == "PASS  stranger:right is exact on 12 fixtures: the distance is 0, as an equality of fractions"


def test_a_wrong_function_fails_with_its_counterexample_and_its_name(run: Command) -> None:
    done = run("prove", "stranger:wrong", *ROW, "--quiet")
    assert (done.code, done.err) == (1, "imported\n")
    assert "FAIL  stranger:wrong is not exact: on 'position: draft with a zero' total variation 1/4 = 0.25" in done.out
    assert "output [0] has probability 11/16 = 0.6875; it should have 3/4 = 0.75" in done.out
    assert "consistent with M6 (wrong fallback after a rejection), fallback_from_target: " in done.out
    assert "PASS" not in done.out


def test_a_program_reads_the_same(run: Command, tmp_path: Path) -> None:
    done = run("prove", "stranger:wrong", *ROW, "--json", "--junit", "proof.xml")
    assert (done.code, done.err) == (1, "imported\n")
    found = json.loads(done.out)
    assert (found["kind"], found["word"], found["exit_code"], found["function"]) == ("prove code", "FAIL", 1, "stranger:wrong")
    assert (found["signature"], found["arrays"]) == ("row", "fractions")
    (suite,) = ElementTree.parse(tmp_path / "proof.xml").getroot()
    assert len(suite) == len(found["findings"]) + 1
    assert int(suite.get("failures", 0)) == sum(one["word"] == "FAIL" for one in found["findings"]) + 1


def test_of_a_program_only_the_law_is_shown(run: Command) -> None:
    done = run("prove", "stranger:coin", "--no-progress")
    assert done.code == 0
    assert done.out.splitlines()[:2] == ["False  3/4 = 0.75", "True   1/4 = 0.25"]
    found = json.loads(run("prove", "stranger:coin", "--signature", "program", "--json", "--no-progress").out)
    assert (found["kind"], found["complete"], len(found["law"])) == ("law", True, 2)


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("stranger:right", "--runs", "4"), 3, "INCONCLUSIVE  stranger:right was not shown to be exact: "),
        (("stranger:right", "--seconds", "0.000001"), 3, "allow more runs or seconds"),
        (("stranger:coin", "--runs", "1"), 3, " of the probability; nothing was judged"),
    ],
)
def test_a_budget_that_is_too_small_is_inconclusive(run: Command, arguments: tuple[str, ...], code: int, text: str) -> None:
    done = run("prove", *arguments, "--no-progress", *(("--arrays", "fractions") if "right" in arguments[0] else ()))
    assert done.code == code
    assert text in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stranger:nothing",), "draftproof: 'stranger:nothing' was not found"),
        (("nowhere:verify",), "draftproof: cannot import 'nowhere'"),
        (("stranger:unknown",), "draftproof: stranger:unknown(a, b) has no known signature; the nearest is "),
        (("stranger:right", "--signature", "rows"), "draftproof: there is no signature 'rows'"),
        (("stranger:right", "--arrays", "jax"), "draftproof: there are no arrays called 'jax'"),
        (("stranger:right", "--family", "nope"), "draftproof: no fixtures are called 'nope'"),
        (("stranger:right", "--family", "loop"), "draftproof: the fixtures 'loop' ask nothing of a function of signature 'row'"),
        (("stranger:right", "--runs", "0"), "draftproof: expected a budget above 0"),
        (("stranger:right", "--junit", "no/such/folder.xml"), "draftproof: cannot write no/such/folder.xml: there is no folder"),
        (("stranger:coin", "--arrays", "numpy"), "draftproof: --arrays, --family and --junit are for what is judged"),
        (("stranger:raises",), "draftproof: stranger:raises raised KeyError: "),
        (("stranger:remembers",), "draftproof: stranger:remembers cannot be proven: the same draws led to "),
        (("stranger:leaks",), "draftproof: stranger:leaks cannot be proven: "),
    ],
)
def test_misuse_is_one_sentence(run: Command, arguments: tuple[str, ...], message: str) -> None:
    done = run("prove", *arguments, "--no-progress")
    assert (done.code, done.out) == (2, "")
    assert done.err.removeprefix("imported\n").startswith(message)
    assert "Traceback" not in done.err


def test_a_name_with_a_colon_is_a_function_wherever_it_stands(run: Command) -> None:
    assert run("prove", "--no-progress", "--arrays", "fractions", "stranger:right").code == 0
    assert run("prove", "code", "stranger:right", *ROW).code == 0
    assert run("prove", "stranger").code == 2


def test_the_help_teaches_it(run: Command) -> None:
    done = run("prove", "--help")
    assert "draftproof prove MODULE:FUNCTION" in done.out
    assert "transformers" in done.out
    detailed = run("prove", "code", "--help").out
    for signature in ("probs", "logits", "row", "transformers", "vllm", "decode", "program"):
        assert f"\n    {signature} " in detailed or f"\n  {signature} " in detailed


def test_what_a_stranger_prints_is_no_part_of_the_result(run: Command) -> None:
    done = run("prove", "stranger:prints", *ROW, "--json")
    assert json.loads(done.out)["word"] == "PASS"
    assert "imported" in done.err
    assert "accepting..." in done.err
    assert "accepting..." not in run("prove", "stranger:prints", *ROW).out


def test_a_fail_is_shown_beside_the_error_that_ended_the_proof(run: Command) -> None:
    done = run("prove", "stranger:wrong_then_none", *ROW)
    assert done.code == 1
    assert "output [0] has probability 11/16 = 0.6875; it should have 3/4 = 0.75" in done.out
    assert "the proof ended before all fixtures were met: the function returned '[None]': " in done.out
    assert "; on the fixture 'position: F3', on a path of probability " in done.out


def test_a_name_without_a_colon_is_told_how_a_function_is_named(run: Command) -> None:
    done = run("prove", "stranger")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("draftproof: there is no subject 'stranger'; choose of code, transformers, rules, or give a function as ")
    assert "from the folder that holds it, stranger:right" in run("prove", "stranger.py:right").err


def test_what_is_not_installed_is_told_with_the_two_commands(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = run("prove", "transformers", "--quick")
    assert done.code == 2
    assert "pip install torch==2.13.0 and then pip install -e '.[hf]'" in done.err


def test_while_a_fault_is_named_the_progress_says_so(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("draftproof.cli.progress.Silent.at", lambda self, number, subject, total=None: told.append(subject))
    assert run("prove", "stranger:wrong", *ROW).code == 1
    assert any(line.startswith("comparing with ") and " known faults on " in line for line in told)
