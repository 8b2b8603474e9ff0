"""`draftproof zoo`: what is in it, one member beside its law, and a trial that can go wrong."""

import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from draftproof.proof.campaign import Word
from draftproof.proof.zoo import trial
from draftproof.proof.zoo.member import MECHANISMS, controls, faults
from draftproof.proof.zoo.trial import Trial

from .conftest import Command

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

NAMES = [member.name for member in (*faults(), *controls())]


def play(monkeypatch: pytest.MonkeyPatch, *trials: Trial) -> None:
    monkeypatch.setattr(trial, "try_all", lambda wanted, workers: iter(trials))


def fault(word: Word = Word.FAIL, named: tuple[str, ...] = ("fault",)) -> Trial:
    return Trial("fault", "M6", word, "F1", Fraction(1, 5), named, 7, 0.5)


def control(word: Word = Word.PASS) -> Trial:
    return Trial("control", "", word, "F1", Fraction(0), (), 7, 0.5)


def test_it_lists_every_member_under_its_mechanism(run: Command) -> None:
    done = run("zoo")
    assert (done.code, done.err) == (0, "")
    for name in NAMES:
        assert f"    {name}: " in done.out
    headings = [line.partition("  ")[0] for line in done.out.splitlines() if line.startswith("M")]
    assert headings == sorted({member.mechanism for member in faults()}, key=lambda name: int(name[1:]))
    assert set(headings) <= set(MECHANISMS)
    assert f"{len(faults())} faults, {len(controls())} controls." in done.out
    found = json.loads(run("zoo", "--json").out)
    assert [member["name"] for member in found["members"]] == NAMES


def test_it_shows_a_fault_its_file_and_its_law_beside_the_right_one(run: Command) -> None:
    done = run("zoo", "fallback_from_target")
    assert done.code == 0
    assert '"""After a rejection the token is drawn from the target' in done.out
    assert "SOUND._replace(verify=" in done.out
    assert "FAIL          F1                            distance 1/5 = 0.2" in done.out
    assert "(0,)  11/16 = 0.6875                3/4 = 0.75" in done.out
    (member,) = json.loads(run("zoo", "fallback_from_target", "--json").out)["members"]
    assert member["mechanism"] == "M6"
    assert member["counterexample"]["observed"]["fraction"] == "11/16"


def test_it_shows_that_a_control_is_exact(run: Command) -> None:
    done = run("zoo", "one_hot_rule_for_sampled_draft")
    assert done.code == 0
    assert "Its law is the one it should have, on every fixture." in done.out
    assert "FAIL" not in done.out


def test_some_members_on_trial(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "zoo.xml"
    done = run("zoo", "--run", "fallback_argmax", "one_hot_rule_for_sampled_draft", "--no-progress", "--junit", str(file))
    assert (done.code, done.err) == (0, "")
    assert "right  FAIL          M6       fallback_argmax " in done.out
    assert "PASS  1 of 1 faults found and named, 1 of 1 controls acquitted; " in done.out
    (suite,) = ElementTree.parse(file).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")


@pytest.mark.parametrize(
    ("wrong", "tally"),
    [
        (fault(Word.PASS, ()), "0 of 1 faults found and named, 1 of 1 controls acquitted"),
        (fault(Word.INCONCLUSIVE, ()), "0 of 1 faults found and named"),
        (fault(Word.FAIL, ("another",)), "0 of 1 faults found and named"),
    ],
)
def test_a_fault_that_is_not_found_and_named_fails_the_trial(
    run: Command, monkeypatch: pytest.MonkeyPatch, wrong: Trial, tally: str
) -> None:
    play(monkeypatch, wrong, control())
    done = run("zoo", "--run", "--no-progress")
    assert done.code == 1
    assert f"FAIL  {tally}" in done.out
    assert "WRONG  " in done.out
    quiet = run("zoo", "--run", "--quiet")
    assert "control  control" not in quiet.out
    assert "WRONG" in quiet.out


def test_a_control_that_is_convicted_fails_the_trial(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, fault(), control(Word.FAIL))
    done = run("zoo", "--run", "--no-progress", "--json")
    assert done.code == 1
    found = json.loads(done.out)
    assert (found["word"], [one["right"] for one in found["trials"]]) == ("FAIL", [True, False])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody",), "draftproof: there is no 'nobody' in the zoo"),
        (("--run", "nobody"), "draftproof: there is no 'nobody' in the zoo"),
        (("--junit", "x.xml"), "draftproof: --junit, --quiet and --processes belong to --run"),
        (("--run", "--processes", "0"), "draftproof: 0 processes cannot run anything"),
        (("--run", "--junit", "no/such/x.xml"), "draftproof: cannot write no/such/x.xml: there is no folder"),
    ],
)
def test_misuse_is_one_sentence(run: Command, arguments: tuple[str, ...], message: str) -> None:
    done = run("zoo", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
