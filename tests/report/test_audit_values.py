"""An audit for programs: run.json, JUnit and the Markdown summary say the same, and hold whatever anyone says."""

import json
import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from markdown_it import MarkdownIt

from draftproof.audit.check import Check, Kind
from draftproof.audit.judgement import judge
from draftproof.proof.campaign import Word
from draftproof.report.audit_summary import escaped, summary
from draftproof.report.audit_values import cases, plain, run_document
from draftproof.report.junit import junit
from draftproof.report.verdicts import Ended

from .audits import ACCEPTANCE, HOSTILE, STATE, Mixture, condition, judged_error, judged_fail, judged_open, judged_pass, report, saying

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def read(found):
    def refused(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(run_document(found), parse_constant=refused)


def test_the_document_has_the_verdict_and_what_it_rests_on():
    found = report(judged_pass(), judged_fail(), checks=[STATE, ACCEPTANCE])
    values = read(found)
    assert (values["kind"], values["schema_version"], values["word"], values["exit_code"]) == ("audit", 1, "FAIL", 1)
    assert values["evidence"] == ["law", "state", "acceptance"]
    assert [one["word"] for one in values["conditions"]] == ["PASS", "FAIL"]
    assert values["refuted_together"] == ["top-p 0.9"]
    first = values["conditions"][0]
    assert first["plan"]["alpha"] == 0.001
    assert first["growth"][-1][0] == first["tokens"]
    assert {one["name"] for one in first["suspects"]} == {one.name for one in found.judged[0].suspicions}
    assert values["checks"][1]["values"]["histogram"] == [218, 242, 179, 361]
    assert values["command"][:2] == ["draftproof", "audit"]
    assert values["raw_sha256"] == "ab" * 32


def test_no_number_is_infinite():
    values = {"a": [math.inf, -math.inf, math.nan, np.float64("nan")], "b": np.array([1.0, np.inf]), 3: np.int64(4)}
    check = Check(Kind.STATE, "numbers", Word.PASS, "seen", values=values)
    (found,) = read(report(checks=[check]))["checks"]
    assert found["values"] == {"a": [None, None, None, None], "b": [1.0, None], "3": 4}


def test_what_json_cannot_hold_is_named():
    assert plain({"rule": len, "set": {2, 1}, "both": (True, None)}) == {
        "rule": "builtin_function_or_method",
        "set": [1, 2],
        "both": [True, None],
    }


def test_the_same_audit_gives_the_same_bytes_apart_from_times():
    def again():
        judgement = judge(Mixture(leak=0.6), condition("again"))
        judgement.seconds = 0.0
        return report(judgement, checks=[ACCEPTANCE])

    assert run_document(again()) == run_document(again())
    assert summary(again()) == summary(again())


def test_a_case_for_each_question():
    found = report(judged_pass(), judged_fail(), judged_open(), judged_error(), checks=[STATE])
    suite = ElementTree.fromstring(junit("audit", cases(found)))[0]
    assert [case.get("name") for case in suite] == [
        "law: temperature 1",
        "law: top-p 0.9",
        "law: temperature 0.6",
        "law: seeded",
        "state: emitted tokens scored again",
    ]
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["failure"], ["error"], []]


def test_an_interrupted_audit_has_a_case_that_did_not_pass():
    found = report(judged_pass())
    found.ended = Ended.INTERRUPTED
    assert [case.word for case in cases(found)] == [Word.PASS, Word.INCONCLUSIVE]


def test_hostile_text_is_data():
    found = saying(HOSTILE)
    assert read(found)["engine"]["name"] == HOSTILE
    harmless = ElementTree.fromstring(junit(HOSTILE, cases(saying("harmless"))))
    hostile = ElementTree.fromstring(junit(HOSTILE, cases(found)))
    assert [one.tag for one in hostile.iter()] == [one.tag for one in harmless.iter()]


def structure(text):
    """The kinds of the blocks, and of what stands inside lines, without plain text."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inner = [child.type for token in tokens for child in token.children or [] if child.type not in ("text", "text_special")]
    return [token.type for token in tokens], inner


def test_hostile_text_is_no_markdown():
    hostile, harmless = summary(saying(HOSTILE)), summary(saying("harmless"))
    assert structure(hostile) == structure(harmless)
    assert all(line.isprintable() for line in hostile.replace("\u2060", "").splitlines())
    assert "@all" not in hostile.partition("```")[0]


@pytest.mark.parametrize(
    "text", ["- item", "1. item", "2) item", "# head", "---", "===", "+ x", "www.evil.example", "`code`", "a|b", "$x$", "<b>"]
)
def test_escaped_text_is_one_paragraph_of_text(text):
    assert structure(f"{escaped(text)}\n") == (["paragraph_open", "inline", "paragraph_close"], [])


def test_the_summary_begins_with_the_verdict():
    lines = summary(report(judged_pass(), checks=[replace(STATE, word=Word.SKIPPED)])).splitlines()
    assert lines[0] == "## ✅ PASS: an engine 1.0"
    assert lines[2].startswith("Not refuted. A share of 50% is excluded for each of ")
    assert "| ✅ PASS | temperature 1 | " in "\n".join(lines)
