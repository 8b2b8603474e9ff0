"""Verdicts: what each word needs, what a budget does to it, and that misuse is one sentence and no verdict."""

import contextlib
import itertools
import random
import sys
import threading
from dataclasses import replace
from time import monotonic

import pytest
import torch

from draftproof.errors import BadRequest, NotReproducible, Untracked
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.diagnosis import plan
from draftproof.proof.decoders.engagement import Engagement
from draftproof.proof.decoders.judge import conclude, cost, judge
from draftproof.proof.decoders.standard import family
from draftproof.proof.foreign import Budget
from draftproof.proof.zoo.member import faults
from draftproof.proof.zoo.naming import Compared, compared

from . import strangers

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def findings(function, *fixtures, arrays="floats", **options):
    chosen = plan(function, signature="probs", arrays=arrays)
    return list(judge(chosen.adapted.subject, fixtures or chosen.fixtures[:2], **options))


LOOP = replace(family("loop")[0], length=2)


def test_exact_and_wrong():
    assert conclude(findings(strangers.right_lists)) == (Word.PASS, "")
    assert conclude(findings(strangers.wrong_lists)) == (Word.FAIL, "")


def test_a_budget_that_is_too_small_is_no_pass():
    stopped = findings(strangers.right_lists, LOOP, budget=Budget(replays=20))
    word, reason = conclude(stopped)
    assert word is Word.INCONCLUSIVE
    assert stopped[0].distance.lowest < stopped[0].distance.highest
    assert reason.startswith("1 of 1 fixtures take more than the budget: on 'tables 1' 2")
    assert reason.endswith("allow more runs or seconds, or name fewer families")


def test_a_wrong_decoder_may_fail_before_the_budget_ends():
    (finding,) = findings(lambda target_probs, draft_probs, draft_tokens: [2], replace(LOOP, length=1), budget=Budget(replays=9))
    assert not finding.observed.complete
    assert finding.word is Word.FAIL


def test_seconds_are_those_of_all_fixtures_together():
    first, *later = findings(strangers.right_lists, LOOP, LOOP, LOOP, budget=Budget(seconds=1e-5))
    assert {one.word for one in (first, *later)} == {Word.INCONCLUSIVE}
    assert all(one.observed.progress.replays < 10 for one in later)


def test_a_verifier_that_keeps_nothing_proves_nothing():
    def verify(target_probs, draft_probs, draft_tokens):
        return [strangers.pick(target_probs[0])]

    assert conclude(findings(verify)) == (Word.SKIPPED, "nothing was tested: no drafted token was ever kept")


@pytest.mark.parametrize(
    ("met", "missing"),
    [
        (Engagement(), "no token was ever drafted"),
        (Engagement(drafted=1, refused=1), "no drafted token was ever kept"),
        (Engagement(drafted=1, kept=1), "no drafted token was ever refused"),
        (Engagement(drafted=2, kept=1, refused=1), "every text took one round, so nothing that lasts from round to round was met"),
        (Engagement(drafted=2, kept=1, refused=1, later_rounds=1), ""),
    ],
)
def test_what_was_never_met_is_said(met, missing):
    assert met.missing(several_rounds=True) == missing


def test_no_fixtures_prove_nothing():
    assert conclude([]) == (Word.SKIPPED, "nothing was tested: there are no fixtures")


def test_going_on_after_another_token_is_counted():
    def refills(target_probs, draft_probs, draft_tokens):
        return [*(1 - token % 2 for token in draft_tokens), 0]

    (finding,) = findings(refills, LOOP)
    assert finding.word is Word.FAIL
    assert finding.engagement.strayed > 0
    assert findings(strangers.right_lists, LOOP)[0].engagement.strayed == 0


# ---------------------------------------------------------------- misuse


def test_state_from_run_to_run_is_no_verdict():
    count = itertools.count()

    def verify(target_probs, draft_probs, draft_tokens):
        return [next(count) % 3]

    with pytest.raises(NotReproducible, match="must be a function of its randomness"):
        findings(verify)


def test_threads_are_no_verdict():
    def verify(target_probs, draft_probs, draft_tokens):
        def draws():
            with contextlib.suppress(Exception):
                random.random()

        other = threading.Thread(target=draws)
        other.start()
        other.join()
        return [0]

    with pytest.raises(Untracked, match="in a second thread, whose order is not a function of the draws; run the program in one thread"):
        findings(verify)


def test_another_device_is_no_verdict():
    def verify(target_probs, draft_probs, draft_tokens):
        return torch.rand(3, device="meta").argmax()

    with pytest.raises(Untracked, match=r"torch\.rand on meta; a proof runs on the CPU, so move the program's tensors there"):
        findings(verify, arrays="torch32")


def test_a_device_that_is_not_there_is_no_verdict():
    def verify(target_probs, draft_probs, draft_tokens):
        return torch.zeros(1, device="cuda")

    if torch.cuda.is_available():
        with pytest.raises(BadRequest, match="it lies on cuda:0; a proof runs on the CPU"):
            findings(verify, arrays="torch32")
    else:
        with pytest.raises(BadRequest, match=r"raised (AssertionError|RuntimeError): .*CUDA"):
            findings(verify, arrays="torch32")


# ---------------------------------------------------------------- order, shares, and what ends a proof early


def test_the_cheapest_fixtures_come_first_and_each_has_a_share_of_the_seconds(monkeypatch):
    monkeypatch.setattr(sys.modules[judge.__module__], "monotonic", lambda: 0.0)  # as if no time passed in between
    chosen = plan(strangers.right_lists, signature="probs", arrays="floats", families=["loop", "batch", "position"])
    costs = [cost(fixture) for fixture in chosen.fixtures]
    assert costs == sorted(costs)
    given = []
    subject = chosen.adapted.subject
    spy = subject._replace(explore=lambda fixture, budget, told: given.append(budget.seconds) or subject.explore(fixture, Budget(1), told))
    list(judge(spy, chosen.fixtures[:4], budget=Budget(seconds=60)))
    assert [round(seconds) for seconds in given] == [15, 20, 30, 60]


@pytest.mark.parametrize("error", ["returns 9", "untracked"])
def test_a_fail_stands_whatever_a_later_fixture_raises(error):
    def verify(p, q, x):
        if len(p) < 4:
            return 0
        return 9 if error == "returns 9" else int(random.random() ** random.random() > 0.5)

    found = plan(verify, signature="row").diagnose()
    assert found.conclusion.word is Word.FAIL
    assert found.counterexample is not None
    assert ("9 is no token" if error == "returns 9" else "has no exact rule") in found.stopped


def test_state_from_run_to_run_takes_a_fail_back():
    count = itertools.count()

    def verify(p, q, x):
        return 0 if len(p) < 4 else next(count) % 4

    with pytest.raises(NotReproducible):
        plan(verify, signature="row", arrays="floats").diagnose()


def test_naming_stops_with_the_seconds_and_says_how_far_it_is():
    failed = findings(strangers.wrong_lists)
    told = []
    assert compared(failed, until=monotonic()) == Compared(complete=False)
    assert compared(failed, told=lambda left, fixture: told.append((left, fixture))).complete
    assert told[0][0] == len(faults())
    assert sorted(told, reverse=True) == told


def test_a_share_is_kept_for_naming_once_a_fixture_has_failed():
    given = []
    chosen = plan(strangers.wrong_lists, signature="probs", arrays="floats")
    subject = chosen.adapted.subject
    spy = subject._replace(explore=lambda fixture, budget, told: given.append(budget.seconds) or subject.explore(fixture, budget, told))
    words = [finding.word for finding in judge(spy, chosen.fixtures[:2], budget=Budget(seconds=600))]
    assert words[0] is Word.FAIL
    assert [round(seconds, -1) for seconds in given] == [300, 300]
