"""What cannot have happened is not believed, each rule with a neighbour that may have."""

from dataclasses import replace

import pytest

from draftproof.bench.cell import Cell
from draftproof.bench.coherence import DEEPEST, Ledger, believed, check
from draftproof.bench.contender import Round
from draftproof.bench.measure import Withdrawn
from draftproof.bench.run import Reply, Run
from draftproof.errors import BadRequest

from .scripted import drafting, plain, runs

REPLY = Reply(3, 7, 40, 4, 0.0, (0.5, 1.0), 3, 2, (Round(2, 1), Round(1, 1)), "text")
RUN = Run("one", "letters", 0.0, "toy drafting", "toy", True, 0, 0, 1, 0.0, 1.0, (("target", 0.9), ("rest", 0.1)), (REPLY,))


def told(**known: object) -> Run:
    """The same, of whose reply something else is told."""
    return replace(RUN, replies=(replace(REPLY, **known),))


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        told(rounds=()),
        told(drafted=None, accepted=None, rounds=()),
        told(tokens=0),
        told(tokens=0, times=()),
        told(times=(1.0, 1.0)),
        told(drafted=DEEPEST, accepted=0, rounds=(Round(DEEPEST, 0),)),
        replace(RUN, seconds=1.0 - 1e-9),
        replace(RUN, parts=()),
        replace(RUN, table="service", slots=2, replies=(REPLY, REPLY)),
    ],
    ids=str,
)
def test_what_may_have_happened_is_believed(run):
    check(run)
    assert believed(run) is run


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (replace(RUN, seconds=0.3), "it ended before its last text came"),
        (told(arrival=0.5), "it ended before its last text came"),
        (replace(RUN, seconds=0.0), "it took no time"),
        (replace(RUN, parts=(("target", 1.1),)), "its parts took longer than the whole"),
        (replace(RUN, slots=0), "there was no slot to serve anything in"),
        (replace(RUN, replies=()), "it has 0 replies, and a request alone has one"),
        (replace(RUN, replies=(REPLY, REPLY)), "it has 2 replies, and a request alone has one"),
        (replace(RUN, table="tail", replies=()), "it has 0 replies, and a run has one or more"),
        (told(times=()), "it has tokens that never came"),
        (told(tokens=10**10), "it has more than 1,000,000,000 tokens"),
        (told(accepted=None), "drafted and kept tokens are told one without the other"),
        (told(accepted=4, rounds=()), "more tokens were kept than drafted"),
        (told(rounds=(Round(2, 0), Round(1, 2))), "more tokens were kept than drafted"),
        (told(rounds=(Round(2, 1),)), "its rounds do not add up to the tokens drafted and kept"),
        (told(drafted=None, accepted=None), "its rounds do not add up to the tokens drafted and kept"),
        (told(drafted=10**6, accepted=0, rounds=(Round(10**6, 0),)), "more than 10,000 tokens were drafted in one round"),
    ],
)
def test_what_cannot_have_happened_is_refused_and_its_contender_withdraws(run, reason):
    with pytest.raises(BadRequest) as refused:
        check(run)
    assert str(refused.value) == reason
    cell = Cell(run.table, "letters", 0.0, run.slots)
    assert believed(run) == Withdrawn(cell, "toy drafting", f"what its engine tells cannot be: {reason}")


def test_that_a_contender_withdrew_is_believed():
    gone = Withdrawn(Cell("one", "letters", 0.0), "other", "it is not there")
    assert believed(gone) is gone


class TestLedger:
    """Two contenders, two prompts, two repeats."""

    RUNS = runs(plain(), drafting(), prompts=2, repeats=2)

    def refused(self, *measured: Run) -> str:
        ledger = Ledger()
        for run in measured[:-1]:
            ledger.enter(run)
        with pytest.raises(BadRequest) as refused:
            ledger.enter(measured[-1])
        return str(refused.value)

    def test_takes_what_was_measured(self):
        ledger = Ledger()
        for run in self.RUNS:
            ledger.enter(run)

    def test_takes_no_run_that_cannot_have_happened(self):
        assert self.refused(replace(self.RUNS[0], seconds=0.0)) == "it took no time"

    def test_takes_no_turn_twice(self):
        first, second, *_ = self.RUNS
        assert self.refused(first, replace(second, turn=first.turn)) == f"another run has the turn {first.turn} too"

    def test_takes_no_work_twice(self):
        first, *_ = self.RUNS
        assert self.refused(first, replace(first, turn=99)) == "its contender served the same prompts in the same repeat before"

    @pytest.mark.parametrize("known", [{"seed": 99}, {"prompt_tokens": 99}, {"arrival": 0.001}], ids=str)
    def test_takes_no_other_orders_for_the_same_prompts(self, known):
        first, second, *_ = self.RUNS
        assert first.contender != second.contender
        other = replace(second, seconds=2 * second.seconds, replies=(replace(second.replies[0], **known),))
        assert self.refused(first, other) == "seeds, prompts or arrivals are not those of the other contenders in the same repeat"

    @pytest.mark.parametrize("known", [{"drafts": True}, {"engine": "another"}], ids=str)
    def test_takes_no_contender_for_another(self, known):
        first, *others = [run for run in self.RUNS if not run.drafts]
        assert self.refused(first, replace(others[0], **known)) == "engine or drafts are not those of its contender in earlier runs"
