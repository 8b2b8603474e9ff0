"""An audit as lines: the words and the exit code, what a PASS states, what no audit sees, and text that stays text."""

import io
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from rich.console import Console

from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import TIERS, Facts, Tier
from draftproof.proof.campaign import Word
from draftproof.report.audit import AuditReport, Environment, check_lines, closing, condition_lines, opening, raw_hash
from draftproof.report.judged import Judged, percent, thinned, written_e
from draftproof.report.verdicts import Ended, Exit

from .audits import (
    ACCEPTANCE,
    HOSTILE,
    STATE,
    condition,
    judged_error,
    judged_fail,
    judged_open,
    judged_pass,
    judged_skipped,
    report,
    saying,
)

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def shown(lines, width=10_000):
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None)
    for line in lines:
        console.print(line)
    return file.getvalue()


def everything(found: AuditReport) -> str:
    parts = [shown(condition_lines(one, name_width=15)) for one in found.judged]
    parts += [shown(check_lines(check)) for check in found.audit.checks]
    return "".join([*parts, shown(closing(found))])


@pytest.mark.parametrize(
    ("judgements", "word", "code"),
    [
        ([judged_pass], Word.PASS, Exit.PASS),
        ([judged_pass, judged_skipped], Word.PASS, Exit.PASS),
        ([judged_pass, judged_open], Word.INCONCLUSIVE, Exit.INCONCLUSIVE),
        ([judged_pass, judged_fail, judged_error], Word.FAIL, Exit.FAIL),
        ([judged_pass, judged_error], Word.ERROR, Exit.UNREACHABLE),
        ([judged_skipped], Word.SKIPPED, Exit.NOTHING_TESTED),
        ([], Word.SKIPPED, Exit.NOTHING_TESTED),
    ],
)
def test_the_worst_word_is_that_of_the_whole(judgements, word, code):
    found = report(*(make() for make in judgements))
    assert (found.word, found.exit) == (word, code)
    assert shown(closing(found)).startswith(f"{word}  ")


def test_a_check_of_state_passes_no_law_that_was_not_tested():
    assert report(judged_skipped(), checks=[STATE]).word is Word.INCONCLUSIVE
    assert report(checks=[STATE]).word is Word.PASS


def test_a_comparison_of_texts_is_evidence_of_law():
    compared = Check(Kind.LAW, "text with drafts and without", Word.PASS, "permutation p = 0.4")
    assert report(checks=[compared, STATE]).word is Word.PASS
    assert report(checks=[replace(compared, word=Word.SKIPPED), STATE]).word is Word.INCONCLUSIVE


def test_an_audit_without_an_end_passes_nothing():
    found = report(judged_pass())
    found.ended = Ended.INTERRUPTED
    assert (found.word, found.exit) == (Word.INCONCLUSIVE, Exit.INTERRUPTED)
    assert "Interrupted before the end: what is not listed was not tested." in shown(closing(found))


def test_a_pass_states_its_error_rate_and_what_it_would_have_seen():
    found = report(judged_pass())
    watched = found.judged[0].watched
    assert found.headline == f"Not refuted. A share of 50% is excluded for each of {watched}, at confidence 0.999."
    text = shown(condition_lines(found.judged[0], name_width=15))
    assert text.startswith("PASS          temperature 1  ")
    assert "the chance of a FAIL by the bets is at most 0.001" in text
    assert "At confidence 0.999 a share of 50% or more is excluded for draft leakage, " in text
    assert f"In most audits of {found.judged[0].tokens:,} tokens it would have seen " in text
    (leakage,) = [one for one in found.judged[0].suspicions if one.name == "draft leakage"]
    assert leakage.detectable
    assert f"draft leakage from {percent(leakage.detectable)}" in text


def test_every_suspect_has_its_interval():
    one = Judged.of(judged_fail())
    text = shown(condition_lines(one, name_width=15)).splitlines()
    for suspicion in one.suspicions:
        (line,) = [line for line in text if line.strip().startswith(f"{suspicion.name} ")]
        assert suspicion.shares in line
    assert text[1] == f"    law: {one.reason}"
    assert "likeliest: the engine lets drafted tokens through that should have been refused" in text[1]


def test_the_plan_is_told_before_anything_is_asked():
    conditions = [condition(), condition("short", 0.1, tokens=320)]
    text = shown(opening(Facts("an engine", Tier.TOKENS), conditions, rate=100))
    assert text.splitlines()[0] == f"Auditing an engine, tier C: {TIERS[Tier.TOKENS]}"
    assert "short: up to 320 tokens in 20 answers to 2 prompts, about 3 s" in text
    assert "error rate 0.001; a PASS excludes 10% of each; will see, mostly: " in text
    assert "tokens in most audits, more than are asked for" in text
    assert "could not see 10% of: " in text


@pytest.mark.parametrize("tier", Tier)
def test_every_report_names_its_tier_and_what_that_cannot_see(tier):
    found = report(judged_pass(), facts=Facts("an engine", tier))
    text = shown(closing(found))
    assert f"Access: tier {tier}, {TIERS[tier]}" in text
    assert f"Tier {tier}: " in text.partition("What this audit could not see")[2]


def test_what_could_not_be_seen_is_said():
    blind = report(judged_open(), judged_skipped()).blind_spots
    unseen = ", ".join(judged_open().condition.plan.unseen)
    assert blind[0] == f"temperature 0.6: a share of 5% of these could not be told from nothing: {unseen}."
    assert "nothing drafted: anything at all, since the engine drafted nothing, so its speculative decoding" in " ".join(blind)
    assert any("once in 2^24" in spot for spot in blind)
    assert any(spot.startswith("State and acceptance: no check ") for spot in blind)
    assert not any(spot.startswith("State and acceptance") for spot in report(judged_pass(), checks=[ACCEPTANCE]).blind_spots)


def test_many_conditions_together_have_their_own_error_rate():
    text = shown(closing(report(judged_pass(), judged_fail(), checks=[STATE])))
    assert "All together: if the engine is right, the chance of any FAIL by the bets is at most 0.002" in text
    assert "Refuted: top-p 0.9, with a false discovery rate of 0.001 over all conditions" in text
    assert "Evidence: law (2), state (1)" in text


def test_second_opinions_decide_nothing():
    text = shown(closing(report(judged_fail())))
    assert "Second opinions, which decide nothing" in text
    assert "top-p 0.9: p-values uniform " in text


def test_hostile_text_cannot_steer_a_terminal():
    text = everything(saying(HOSTILE))
    assert all(line.isprintable() for line in text.splitlines())
    assert "\\x1b[31m\\u202e\\ud800\\n# end" in text
    assert len(text.splitlines()) == len(everything(saying("harmless")).splitlines())


def test_the_raw_data_have_a_hash(tmp_path: Path):
    file = tmp_path / "events.jsonl"
    assert raw_hash(None) is raw_hash(file) is None
    file.write_bytes(b"one line\n")
    assert raw_hash(file) == sha256(b"one line\n").hexdigest()


def test_the_environment_has_versions_and_no_name_of_the_machine():
    import platform

    here = Environment.here()
    assert {"draftproof", "Python", "numpy", "scipy"} <= here.versions.keys()
    assert platform.node() not in f"{here}" or not platform.node()
    assert here.date.endswith("+00:00")


@pytest.mark.parametrize(
    ("log_e", "text"),
    [
        (0.0, "1"),
        (7.0, "1,097"),
        (20.0, "10^8.7"),
        (-20.0, "10^-8.7"),
        (float("inf"), "infinite"),
        (float("-inf"), "0"),
        (float("nan"), "unknown"),
    ],
)
def test_an_e_value_is_written_in_few_signs(log_e, text):
    assert written_e(log_e) == text


def test_thinned_points_keep_the_last():
    points = [(place, float(place)) for place in range(1001)]
    few = thinned(points)
    assert len(few) <= 200
    assert few[-1] == points[-1]
    assert thinned([(1, float("-inf")), (2, 0.5)]) == [(2, 0.5)]
