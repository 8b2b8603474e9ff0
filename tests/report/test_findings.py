"""What is said of a function: the words of each verdict, the same in text, in JSON and in JUnit."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from draftproof.proof.campaign import Word
from draftproof.proof.decoders.diagnosis import plan
from draftproof.proof.explore import Decision
from draftproof.proof.foreign import Budget, explore_program
from draftproof.report import finding_values, findings
from draftproof.report.document import document

from ..proof.decoders import strangers

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def diagnosed(function, budget=None):
    return plan(function, signature="row", arrays="fractions", families="position").diagnose(budget=budget or Budget())


@cache
def wrong_row():
    """Diagnosed once."""
    return diagnosed(strangers.wrong_row)


def test_a_pass_says_how_far_and_on_what():
    text = findings.text(diagnosed(strangers.right_row)).splitlines()
    assert text[0].endswith("strangers:right_row is exact on 11 fixtures: the distance is 0, as an equality of fractions")
    assert text[1].startswith("  ran as signature 'row' with fractions arrays on the fixtures position: ")
    assert len(text) == 2


@pytest.fixture
def wrong():
    return wrong_row()


def test_a_fail_has_rows_output_and_names(wrong):
    text = findings.text(wrong)
    assert "strangers:wrong_row is not exact: on 'position: tables 1' total variation 105/208 (about 0.5048) to the target's law" in text
    assert "after [0, 0] the target's law is (3/4, 1/4), the draft's (1/2, 1/2)" in text
    assert f"it should have {wrong.counterexample.expected}" in text
    assert "its likeliest way: " in text
    assert "ratio_upside_down: " in text


def test_the_document_has_the_same(wrong):
    found = json.loads(document("prove code", finding_values.content(wrong)))
    assert (found["word"], found["signature"], found["arrays"], found["families"]) == ("FAIL", "row", "fractions", ["position"])
    assert [one["fixture"] for one in found["findings"]] == [one.fixture.name for one in wrong.findings]
    example = found["counterexample"]
    assert Fraction(example["observed"]["fraction"]) == wrong.counterexample.observed
    assert [Fraction(value) for value in example["places"][0]["target"]] == list(wrong.counterexample.places[0].target)
    assert example["decisions"]
    assert [one["name"] for one in found["suspects"]] == [suspect.member.name for suspect in wrong.suspects] != []
    assert found["runs"] == sum(one["runs"] for one in found["findings"]) > 0


def test_every_fixture_is_a_case_and_so_is_the_verdict(wrong):
    cases = finding_values.cases(wrong)
    assert len(cases) == len(wrong.findings) + 1
    assert [case.word for case in cases[:-1]] == [finding.word for finding in wrong.findings]
    assert cases[-1].word is Word.FAIL
    assert cases[-1].text == findings.text(wrong)


def test_what_is_left_is_said_with_its_bounds():
    found = diagnosed(strangers.right_row, Budget(replays=4))
    assert found.conclusion.word is Word.INCONCLUSIVE
    assert "was not shown to be exact: " in findings.headline(found)
    assert " to " in findings.finding_line(next(one for one in found.findings if one.word is Word.INCONCLUSIVE))


def test_the_law_of_a_program():
    def program():
        return "low" if random.random() < 0.25 else ("high", random.randrange(2))

    law = explore_program(program)
    assert findings.law_lines(law)[:3] == ["['high', 0]  3/8 = 0.375", "['high', 1]  3/8 = 0.375", "low          1/4 = 0.25"]
    assert findings.law_lines(law)[3].endswith(" saw all of the probability; nothing was judged")
    found = json.loads(document("law", finding_values.law_content("program", law)))
    assert {str(one["outcome"]): one["fraction"] for one in found["law"]} == {"low": "1/4", "['high', 0]": "3/8", "['high', 1]": "3/8"}
    assert found["complete"] is True


def test_a_long_law_is_cut_for_a_reader():
    law = explore_program(lambda: random.randrange(60))
    assert findings.law_lines(law)[50] == "and 10 outcomes that are less likely"
    assert len(finding_values.law_content("program", law)["law"]) == 60


def test_an_outcome_cannot_change_the_terminal():
    law = explore_program(lambda: "\x1b[31mred")
    assert findings.law_lines(law)[0] == r"\x1b[31mred  1"


# ---------------------------------------------------------------- how numbers and decisions are written


def test_a_long_fraction_is_a_decimal_and_two_numbers_that_differ_look_different():
    long = Fraction(10**20 + 1, 3 * 10**20)
    assert findings._both(long) == "about 0.333333"
    assert findings._both(Fraction(11, 16)) == "11/16 = 0.6875"
    assert findings._apart(Fraction(10241, 20480), Fraction(1, 2)) == ("10241/20480 (about 0.50005)", "1/2 = 0.5")
    assert len(set(findings._apart(long, Fraction(1, 3) + Fraction(1, 10**9)))) == 2


def test_a_comparison_is_read_with_its_threshold_where_that_is_known():
    number = Decision((3, 1), 0, "uniform number 4 below or above")
    assert findings._decision(number, first=True) == "random number 4 below 0.75 (probability 0.75)"
    assert findings._decision(number._replace(taken=1), first=True) == "random number 4 not below 0.75 (probability 0.25)"
    assert findings._decision(number, first=False) == "random number 4 below a further threshold (probability 0.75)"
    assert findings._decision(Decision((1, 1), 1, "random.choice"), first=True) == "random.choice: branch 1 of 2, probability 0.5"


def test_a_loop_drafts_what_it_wants():
    found = plan(strangers.loop(1, fallback=strangers.whole_target), arrays="floats", families="filter").diagnose(budget=Budget(seconds=20))
    assert "smallest counterexample: " in findings.text(found)
    assert "drafted a round" not in findings.text(found)


def test_half_precision_is_hinted_at_only_where_it_could_be_all():
    def half(p, q, x):
        return x if random.random() < float(np.float16(p[x] / q[x])) else random.choices(range(len(p)), np.maximum(p - q, 0))[0]

    found = plan(half, arrays="numpy").diagnose()
    assert "rounding in half precision (float16 or bfloat16) inside the function could explain it" in findings.text(found)
    assert not replace(found, arrays="floats").half_precision
    biased = plan(lambda p, q, x: 0, signature="row", arrays="numpy").diagnose()
    assert "half precision" not in findings.text(biased)


def test_defaults_errors_and_an_unfinished_comparison_are_said(wrong):
    told = replace(wrong, defaults=("temperature=0.7",), stopped="it raised", all_compared=False, suspects=())
    text = findings.text(told)
    assert "called with the defaults temperature=0.7" in text
    assert "the proof ended before all fixtures were met: it raised" in text
    assert "not all known faults were compared: the seconds were used up" in text
    assert "no known mechanism" not in text
    content = finding_values.content(told)
    assert (content["defaults"], content["stopped"], content["all_compared"]) == (["temperature=0.7"], "it raised", False)
