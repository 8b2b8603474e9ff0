"""What a stranger's test suite calls: silent on an exact sampler, and a message for an issue on any other."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from draftproof.errors import BadRequest, NotExact
from draftproof.proof.campaign import Word
from draftproof.testing import Budget, assert_exact, report

from .proof.decoders import strangers

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

SHORT = {"arrays": "floats", "families": ["position"], "signature": "probs"}


def test_it_is_silent_on_an_exact_verifier():
    assert assert_exact(strangers.right_lists, **SHORT) is None


def test_it_raises_what_can_be_pasted_into_an_issue():
    with pytest.raises(NotExact) as raised:
        assert_exact(strangers.wrong_lists, **SHORT)
    text = str(raised.value)
    for line in (
        "strangers:in_lists.<locals>.verify is not exact: on 'position: draft with a zero' total variation 1/4 = 0.25 to the target's law",
        "smallest counterexample: simple rows of two tokens, length 1, prompt [0, 0], 1 drafted a round",
        "after [0, 0] the target's law is (3/4, 1/4), the draft's (1/2, 1/2)",
        "output [0] has probability 11/16 = 0.6875; it should have 3/4 = 0.75",
        "consistent with M6 (wrong fallback after a rejection), fallback_from_target: ",
        "reported as transformers#28508, Spec-RL#14",
        "ran as signature 'probs' with floats arrays on the fixtures position: ",
        f"Python {sys.version.split()[0]}",
    ):
        assert line in text


def test_a_fault_that_is_in_no_catalogue_is_not_named():
    def verify(target_probs, draft_probs, draft_tokens):
        tokens = strangers.right_lists(target_probs, draft_probs, draft_tokens)
        return [*tokens[:-1], 0] if tokens[-1] == 1 and len(tokens) == 1 else tokens

    with pytest.raises(NotExact, match="no known mechanism has this law"):
        assert_exact(verify, **SHORT)


def test_several_faults_with_one_law_are_all_named():
    found = report(strangers.wrong_row, arrays="fractions")
    assert found.conclusion.word is Word.FAIL
    assert "ratio_upside_down" in [suspect.member.name for suspect in found.suspects]
    assert all(suspect.distance <= found.counterexample.finding.explained for suspect in found.suspects)


def test_what_was_not_shown_is_raised_too():
    with pytest.raises(NotExact, match=r"was not shown to be exact: \d+ of \d+ fixtures take more than the budget"):
        assert_exact(strangers.right_lists, **SHORT, budget=Budget(replays=5))
    with pytest.raises(NotExact, match="was not shown to be exact: nothing was tested: no drafted token was ever kept"):
        assert_exact(lambda target_probs, draft_probs, draft_tokens: [strangers.pick(target_probs[0])], **SHORT)


def test_a_report_is_returned_whatever_it_says():
    exact = report(strangers.right_lists, **SHORT)
    assert (exact.conclusion.word, exact.counterexample, exact.suspects) == (Word.PASS, None, ())
    assert exact.runs == sum(finding.observed.progress.replays for finding in exact.findings) > 0
    wrong = report(strangers.wrong_lists, **SHORT)
    assert wrong.conclusion.word is Word.FAIL
    assert wrong.worst.fixture.name == "position: draft with a zero"
    assert replace(wrong, suspects=()).suspects == ()


def test_it_refuses_what_it_cannot_call():
    with pytest.raises(BadRequest, match="has no known signature"):
        assert_exact(lambda a, b: 0)
    with pytest.raises(BadRequest, match="expected a budget above 0"):
        assert_exact(strangers.right_lists, **SHORT, budget=Budget(replays=0))


def test_importing_it_imports_no_torch():
    program = "import sys, draftproof.testing; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_example_project_passes_its_own_tests():
    folder = Path(__file__).parents[1] / "examples"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "--import-mode=prepend", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert "3 passed" in run.stdout, run.stdout + run.stderr
