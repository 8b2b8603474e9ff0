"""Totals along given texts: rounds end where a draft is full, and at either end of an answer engines may draft nothing."""

import numpy as np
import pytest

from draftproof.audit.acceptance.drafting import Drafting
from draftproof.audit.acceptance.totals import simulated_totals, totals_checks
from draftproof.audit.engines.protocol import Answer
from draftproof.audit.law.rows import Rows
from draftproof.proof.campaign import Word


@pytest.mark.parametrize(
    ("ends", "kept"),
    [((True, True), 6), ((False, True), 6), ((True, False), 6), ((False, False), 5)],
)
def test_what_is_always_kept_is_kept_up_to_the_width_of_a_draft(ends: tuple[bool, bool], kept: int) -> None:
    assert (simulated_totals([np.ones(8)], 3, 5, ends=ends, seed=0) == kept).all()


def test_a_round_that_was_refused_begins_anew() -> None:
    chances = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    assert (simulated_totals([chances], 2, 5, ends=(True, True), seed=0) == 4).all()


def test_kept_tokens_are_independent_coins_where_no_draft_is_ever_full() -> None:
    totals = simulated_totals([np.full(40, 0.3)] * 2, 99, 4000, ends=(True, True), seed=0)
    assert totals.mean() == pytest.approx(24, abs=0.3)
    assert totals.std() == pytest.approx(np.sqrt(80 * 0.3 * 0.7), rel=0.1)


def test_an_engine_that_never_drafts_its_first_and_last_token_agrees_and_one_that_misses_others_does_not() -> None:
    law = np.array([[0.5, 0.5]] * 8)
    draft = np.array([[1.0, 0.0]] * 8)
    rows = [Rows(np.zeros(8, int), law, draft)] * 20
    drafting = Drafting(3, "match", likeliest=True)
    for kept, word in ((6, Word.PASS), (5, Word.PASS), (4, Word.INCONCLUSIVE)):
        answers = [Answer(number, (0,) * 8, drafted=8, accepted=kept) for number in range(20)]
        assert list(totals_checks(answers, rows, drafting, alpha=1e-3))[-1].word is word
