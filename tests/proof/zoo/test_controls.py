"""Every control is acquitted, wherever the loop or the verdict could be at fault, and does what makes it look wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest

from draftproof.proof.campaign import Word
from draftproof.proof.decoders.judge import judge
from draftproof.proof.decoders.standard import family
from draftproof.proof.foreign.rounds import explore_rounds
from draftproof.proof.zoo.decoder import start
from draftproof.proof.zoo.member import controls
from draftproof.proof.zoo.specimen import SOUND
from draftproof.proof.zoo.subject import subject

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

CONTROLS = {member.name: member for member in controls()}
each_control = pytest.mark.parametrize("name", CONTROLS)


@each_control
def test_it_is_acquitted(name):
    member = CONTROLS[name]
    families = {"position", "schedule", "ends", member.fixtures} - {"loop"}  # of which one is enough
    fixtures = [*(fixture for name in sorted(families) for fixture in family(name)), family("loop")[0]]
    words = {finding.fixture: finding.word for finding in judge(subject(name, member.decoder), fixtures)}
    assert {fixture.name for fixture, word in words.items() if word is not Word.PASS} == set()
    assert len(words) == len(fixtures)


def rounds_needed(decoder):
    """The law of the number of rounds for a text of three tokens."""
    fixture = replace(family("loop")[0], length=3)

    def rounds(texts):
        return texts[0].rounds if texts[0].ended else None

    return explore_rounds(lambda: start(fixture), lambda texts: decoder.round(decoder, fixture, texts), rounds).law


def mean(law):
    return sum((rounds * probability for rounds, probability in law.items()), Fraction(0))


@each_control
def test_it_is_not_standard_rejection_in_other_words(name):
    """It keeps another number of drafts: the report that called it wrong had something to see."""
    other = rounds_needed(CONTROLS[name].decoder)
    assert (other != rounds_needed(SOUND)) == (name != "standard_rejection")


def test_block_verification_needs_fewer_rounds():
    assert mean(rounds_needed(CONTROLS["block_verification"].decoder)) < mean(rounds_needed(SOUND))
