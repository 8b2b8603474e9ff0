"""A report's word and exit code follow from its checks and from how it ended."""

from fractions import Fraction

import pytest

from draftproof.proof.campaign import Check, Settings, Word
from draftproof.report.verdicts import Ended, Exit, Report, closing, verdict_lines


def report(*words: Word, ended: Ended = Ended.COMPLETE, seconds: float = 1.0) -> Report:
    checks = [Check("rejection", "one round", word, Fraction(0), 1_000, 0.1, "covered") for word in words]
    return Report(["rejection"], Settings(), checks, ended, seconds)


def test_a_campaign_without_an_end_passes_nothing() -> None:
    assert report(Word.PASS).word is Word.PASS
    assert report(Word.PASS, ended=Ended.INTERRUPTED).word is Word.INCONCLUSIVE
    assert report(Word.PASS, Word.FAIL, ended=Ended.INTERRUPTED).word is Word.FAIL
    assert report(Word.PASS, ended=Ended.INTERRUPTED).exit is Exit.INTERRUPTED
    assert report(Word.PASS, ended=Ended.CRASHED).exit is Exit.CRASH


@pytest.mark.parametrize(("seconds", "text"), [(0.25, "in 0.25 s"), (59.5, "in 59.50 s"), (131.5, "in 2m 11s")])
def test_the_last_line_counts(seconds: float, text: str) -> None:
    line = closing(report(Word.PASS, Word.PASS, seconds=seconds))[0].plain
    assert line == f"PASS  1 rule, 2 checks: 2 PASS; 2,000 paths {text}"


def test_a_verdict_line_fits_80_columns() -> None:
    check = Check("recursive_independent", "differs from the target", Word.PASS, Fraction(1, 3), 9_999_999, 3599.0, "covered")
    head = verdict_lines(check, name_width=21)[0].plain  # type: ignore[union-attr]
    assert len(head) <= 80
    assert "9,999,999 paths" in head
