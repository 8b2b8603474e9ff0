"""The prover on trial: in one process or several, and what counts as right."""

from fractions import Fraction

import pytest

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.proof.zoo.member import controls, faults
from draftproof.proof.zoo.trial import Trial, members, tried, try_all

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

FEW = ["fallback_argmax", "no_draft", "rule_not_on_bonus"]


def outcome(trial):
    return trial._replace(seconds=0)


def test_processes_change_nothing():
    alone, shared = (sorted(map(outcome, try_all(members(FEW), workers=workers))) for workers in (1, 2))
    assert alone == shared
    assert all(trial.right for trial in alone)
    assert {trial.name: trial.word for trial in alone} == {
        "fallback_argmax": Word.FAIL,
        "no_draft": Word.PASS,
        "rule_not_on_bonus": Word.FAIL,
    }


@pytest.mark.parametrize(
    ("mechanism", "word", "named", "right"),
    [
        ("M6", Word.FAIL, ("it", "another"), True),
        ("M6", Word.FAIL, ("another",), False),
        ("M6", Word.FAIL, (), False),
        ("M6", Word.PASS, ("it",), False),
        ("M6", Word.INCONCLUSIVE, (), False),
        ("", Word.PASS, (), True),
        ("", Word.FAIL, (), False),
        ("", Word.INCONCLUSIVE, (), False),
    ],
)
def test_what_is_right(mechanism, word, named, right):
    assert Trial("it", mechanism, word, "F1", Fraction(0), named, 1, 0.0).right is right


def test_members_are_found_by_name():
    assert [member.name for member in members(FEW + FEW)] == FEW
    assert len(members()) == len(faults()) + len(controls())
    with pytest.raises(BadRequest, match="there is no 'nobody' in the zoo"):
        members(["nobody"])


def test_a_sound_decoder_that_is_called_a_fault_is_not_right():
    (sound,) = members(["standard_rejection"])
    assert not tried(sound.__class__(sound.decoder, "M6", name=sound.name)).right
