"""Whole decode loops: right ones pass, wrong ones fail at once, and one that drafts nothing proves nothing."""

import random
from dataclasses import replace

import pytest

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.diagnosis import plan
from draftproof.proof.decoders.judge import conclude, judge
from draftproof.proof.decoders.standard import family

from . import strangers

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

PLAIN = {"signature": "decode", "arrays": "floats"}


def findings(function, length=3, fixtures=None):
    chosen = plan(function, **PLAIN)
    return list(judge(chosen.adapted.subject, fixtures or [replace(chosen.fixtures[0], length=length)]))


@pytest.mark.parametrize("width", [1, 2])
def test_a_right_loop_passes_whatever_it_drafts(width):
    assert conclude(findings(strangers.loop(width))) == (Word.PASS, "")


def test_a_loop_whose_fallback_is_wrong_fails_and_is_named():
    chosen = plan(strangers.loop(1, fallback=strangers.whole_target), **PLAIN)
    found = replace(chosen, fixtures=(replace(chosen.fixtures[0], length=2),)).diagnose()
    assert found.conclusion.word is Word.FAIL
    assert "fallback_from_target" in [suspect.member.name for suspect in found.suspects]


def test_a_loop_that_never_drafts_proves_nothing():
    assert conclude(findings(strangers.loop(2, drafts=False))) == (Word.SKIPPED, "nothing was tested: no token was ever drafted")


def test_a_loop_that_never_keeps_a_draft_proves_nothing():
    def decode(target, draft, prompt, length):
        text = list(prompt)
        for _ in range(length):
            draft(text)
            row = target(text)[-1]
            text += random.choices(range(len(row)), row)
        return text[len(prompt) :]

    assert conclude(findings(decode)) == (Word.SKIPPED, "nothing was tested: no drafted token was ever kept")


@pytest.mark.parametrize(("checks_every_token", "word"), [(True, Word.PASS), (False, Word.FAIL)])
def test_ends_are_asked_of_a_loop_that_takes_them(checks_every_token, word):
    decode = strangers.loop_with_ends(checks_every_token)
    assert plan(decode, **PLAIN).families == ("loop", "filter", "ends")
    (fixture,) = (one for one in family("ends") if one.name == "end 1, length 3")
    assert {finding.word for finding in findings(decode, fixtures=[fixture])} == {word}


def test_ends_are_not_asked_of_a_loop_that_cannot_know_them():
    with pytest.raises(BadRequest, match="a decode loop of one text cannot be asked for 'end 0, length 1'"):
        findings(strangers.loop(1), fixtures=family("ends")[:1])


def test_models_read_the_text_they_are_given():
    rows = []

    def decode(target, draft, prompt, length):
        rows.append((target([0, 1, 2]), target([1, 2])[-1], draft([2])))
        return strangers.loop(1)(target, draft, prompt, length)

    fixture = plan(decode, **PLAIN).fixtures[0]
    findings(decode, length=1)
    whole, last, one = rows[0]
    assert whole[1] == [float(weight) for weight in fixture.target.law([0, 1])]
    assert whole[2] == last == [float(weight) for weight in fixture.target.law([1, 2])]
    assert len(one) == 1


@pytest.mark.parametrize("tokens", [[], [3], [0.5], None])
def test_models_refuse_what_is_no_text(tokens):
    with pytest.raises(BadRequest, match="the function returned"):
        findings(lambda target, draft, prompt, length: target(tokens))


def test_a_text_with_its_prompt_is_told_from_a_text_that_is_too_long():
    def with_prompt(target, draft, prompt, length):
        return [*prompt, *strangers.loop(1)(target, draft, prompt, length)]

    def too_long(target, draft, prompt, length):
        return strangers.loop(1)(target, draft, prompt, length + 2)

    with pytest.raises(BadRequest, match="begins with the prompt; return the emitted tokens alone"):
        findings(with_prompt, length=2)
    assert conclude(findings(too_long, length=1)).word is Word.FAIL
