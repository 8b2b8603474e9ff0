"""`draftproof prove`: verdicts, words, exit codes; and each of them can come out the other way."""

import inspect
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction

import pytest

from draftproof import catalogue
from draftproof.catalogue import Entry
from draftproof.cli import prove as verb
from draftproof.errors import BadLaw
from draftproof.proof import campaign
from draftproof.proof.campaign import Check, Settings, Word
from draftproof.rules.rejection import rejection
from draftproof.verify import Independent

from .conftest import FEW, WRONG, Command, check

pytestmark = pytest.mark.usefixtures("unchecked_shapes")  # whole proofs run here

PROVE = ("prove", "rules")


def play(monkeypatch: pytest.MonkeyPatch, *script: Check | BaseException) -> None:
    """Let the proof of every rule be this script."""

    def prove(entry: Entry, settings: Settings) -> Iterator[Check]:
        for part in script:
            if isinstance(part, BaseException):
                raise part
            yield part

    monkeypatch.setattr(campaign, "prove", prove)


def test_right_rules_pass(run: Command) -> None:
    done = run(*PROVE, "--rule", "rejection", "--rule", "lenience", *FEW)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "Proving 2 rules in fractions: vocabulary 3, width 2, pairs 3, loop pairs 1, length 2, seed 0"
    assert [line.split()[:2] for line in lines[1:9:2]] == [["PASS", "rejection"]] * 2 + [["PASS", "lenience"]] * 2
    assert lines[-2].startswith("PASS  2 rules, 4 checks: 4 PASS; ")
    assert "the error rate is 0" in lines[-1]


def test_a_wrong_rule_fails_with_its_counterexample(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.CATALOGUE, "wrong", WRONG)
    done = run(*PROVE, "--rule", "wrong", "--rule", "block", *FEW)
    assert (done.code, done.err) == (1, "")
    assert "FAIL  wrong  one round" in done.out
    assert "FAIL  wrong  the whole loop" in done.out
    assert "PASS  block  one round" in done.out
    assert "it should be" in done.out
    assert "FAIL  2 rules, 4 checks: 2 PASS, 2 FAIL; " in done.out
    assert "error rate" not in done.out


def test_a_lossy_rule_that_is_not_lossy_fails(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.CATALOGUE, "lossless", Entry("lossless", Independent(rejection), "target", "", "", exact=False))
    done = run(*PROVE, "--rule", "lossless", *FEW)
    assert done.code == 1
    assert "FAIL  lossless  differs from the target" in done.out


def test_a_program_reads_the_same(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.CATALOGUE, "wrong", WRONG)
    done = run(*PROVE, "--rule", "wrong", "--json", *FEW)
    assert (done.code, done.err) == (1, "")
    found = json.loads(done.out)
    assert (found["kind"], found["schema_version"], found["evidence"]) == ("prove rules", 1, "law")
    assert (found["word"], found["exit_code"], found["ended"], found["stopped_at"]) == ("FAIL", 1, "complete", None)
    assert found["settings"] == {"rules": ["wrong"], **asdict(Settings(pairs=3, loop_pairs=1, length=2))}
    assert [one["subject"] for one in found["checks"]] == ["one round", "the whole loop"]
    for one in found["checks"]:
        exact = Fraction(one["distance"]["fraction"])
        assert exact > 0
        assert one["distance"]["float"] == float(exact)
    assert found["paths"] == sum(one["paths"] for one in found["checks"]) > 0
    assert found["seconds"] >= sum(one["seconds"] for one in found["checks"]) > 0


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        ([Word.PASS, Word.PASS], 0, "PASS"),
        ([Word.PASS, Word.FAIL, Word.ERROR, Word.INCONCLUSIVE], 1, "FAIL"),
        ([Word.PASS, Word.ERROR, Word.INCONCLUSIVE], 70, "ERROR"),
        ([Word.PASS, Word.INCONCLUSIVE, Word.SKIPPED], 3, "INCONCLUSIVE"),
        ([Word.PASS, Word.SKIPPED], 0, "PASS"),
        ([Word.SKIPPED], 5, "SKIPPED"),
        ([], 5, "SKIPPED"),
    ],
)
def test_the_worst_word_decides(run: Command, monkeypatch: pytest.MonkeyPatch, words: list[Word], code: int, verdict: str) -> None:
    play(monkeypatch, *(check(word) for word in words))
    done = run(*PROVE, "--rule", "rejection", "--no-progress")
    assert done.code == code
    assert f"\n{verdict}  " in done.out
    assert ("Nothing was tested." in done.out) is (code == 5)
    assert json.loads(run(*PROVE, "--rule", "rejection", "--json").out)["exit_code"] == code


def test_distances_are_shown_both_ways(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, check(Word.FAIL, distance=Fraction(1, 3)), check(Word.FAIL, distance=Fraction(1, 7**90)))
    done = run(*PROVE, "--rule", "rejection", "--no-progress")
    assert "distance 1/3 (about 0.3333): what was covered" in done.out
    assert "distance about 8.733e-77: what was covered" in done.out


def test_quiet_leaves_the_verdict_and_what_did_not_pass(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, check(Word.PASS, rule="good"), check(Word.FAIL, rule="bad"))
    done = run(*PROVE, "--rule", "rejection", "--quiet")
    assert "good" not in done.out
    assert done.out.startswith("FAIL  bad")
    assert done.err == ""


def test_a_rule_named_twice_is_proved_once(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, check())
    assert "1 rule, 1 check: 1 PASS; 7 paths" in run(*PROVE, "--rule", "block", "--rule", "block", "--no-progress").out


def test_without_names_every_rule_is_proved(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, check())
    found = json.loads(run(*PROVE, "--json", "--no-progress").out)
    assert found["settings"]["rules"] == list(catalogue.CATALOGUE)
    assert len(found["checks"]) == len(catalogue.CATALOGUE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rule", "nope"), "draftproof: there is no rule 'nope'; the rules are rejection, "),
        (("--width", "0"), "draftproof: width is 0; it must be at least 1"),
        (("--vocabulary", "1"), "draftproof: vocabulary is 1; it must be at least 2"),
        (("--pairs", "0"), "draftproof: pairs is 0"),
        (("--loop-pairs", "0"), "draftproof: loop_pairs is 0"),
        (("--width", "two"), "Usage: draftproof prove rules"),
        (("--nope",), "Usage: draftproof prove rules"),
    ],
)
def test_a_bad_request_is_refused_before_anything_is_proved(run: Command, arguments: tuple[str, ...], message: str) -> None:
    done = run(*PROVE, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)


def test_an_unknown_subject_is_a_usage_error(run: Command) -> None:
    done = run("prove", "nothing")
    assert (done.code, done.out) == (2, "")
    assert "'nothing'" in done.err


def test_an_interrupt_shows_what_was_done(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, check(), KeyboardInterrupt())
    done = run(*PROVE, "--rule", "rejection", "--rule", "block", "--no-progress")
    assert (done.code, done.err) == (130, "")
    assert "PASS  rejection" in done.out
    assert "INCONCLUSIVE  0 of 2 rules, 1 check: 1 PASS; 7 paths" in done.out
    assert "Interrupted before the end" in done.out
    found = json.loads(run(*PROVE, "--rule", "block", "--json", "--no-progress").out)
    assert (found["ended"], found["stopped_at"], found["exit_code"], len(found["checks"])) == ("interrupted", "block", 130, 1)


@pytest.mark.parametrize("error", [ZeroDivisionError("a / 0"), BadLaw("a row of ours is wrong")])
def test_a_crash_of_ours_is_no_verdict_and_not_the_users_fault(run: Command, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    play(monkeypatch, check(), error)
    done = run(*PROVE, "--rule", "block", "--no-progress")
    assert done.code == 70
    assert "PASS  rejection" in done.out
    assert "Crashed before the end" in done.out
    assert f"while proving block: {error}" in done.err
    assert "please report it with the output of: draftproof --traceback prove rules --rule block --no-progress" in done.err
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1
    found = json.loads(run(*PROVE, "--json", "--no-progress").out)
    assert (found["ended"], found["word"], found["exit_code"]) == ("crashed", "INCONCLUSIVE", 70)


def test_a_traceback_is_shown_when_asked_for(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, ZeroDivisionError("a / 0"))
    done = run("--traceback", *PROVE, "--rule", "block", "--no-progress")
    assert done.code == 70
    assert "Traceback" in done.err
    assert "ZeroDivisionError: a / 0" in done.err


def test_the_defaults_are_those_of_the_campaign() -> None:
    options = inspect.signature(verb.rules).parameters
    for name, value in asdict(Settings()).items():
        assert options[name].default == value, name


def test_a_real_interrupt_keeps_the_verdicts_so_far() -> None:
    program = "import sys; from draftproof.cli import main; sys.exit(main())"
    command = [
        sys.executable,
        "-W",
        "error",
        "-c",
        program,
        "prove",
        "rules",
        "--rule",
        "rejection",
        "--rule",
        "kseq",
        "--loop-pairs",
        "500",
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert running.stdout is not None
    first = [running.stdout.readline(), running.stdout.readline()]
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert first[1].startswith("PASS  rejection  one round")
    assert running.returncode == 130
    assert "Interrupted before the end" in out
    assert err == ""
