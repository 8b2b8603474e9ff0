"""A drawn token that looks unlikely is dropped, and the round goes on as if nothing had been drafted there.

The tokens that reach the rule are draws that were selected by their value, so q is not their law. Whether a place is
drafted may depend on the draft model's row and on what came before, never on the token that was drawn there.
"""

from fractions import Fraction

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND

UNLIKELY = Fraction(1, 4)


def propose(fixture: Fixture, text: Text) -> Proposal:
    tokens, laws = SOUND.propose(fixture, text)
    kept = next((place for place, (token, law) in enumerate(zip(tokens, laws, strict=True)) if law[token] < UNLIKELY), len(tokens))
    return Proposal(tokens[:kept], laws[:kept])


MEMBER = Member(SOUND._replace(propose=propose), mechanism="M1", fixtures="position")
