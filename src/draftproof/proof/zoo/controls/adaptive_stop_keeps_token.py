"""Drafting stops after a token that looks unlikely, and the token is kept in the draft.

Whether a place is drafted may depend on the tokens before it, and only on those: the tokens that were drawn after the
stop are as if never drawn.
"""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.faults.drops_unlikely_draft import UNLIKELY
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND


def propose(fixture: Fixture, text: Text) -> Proposal:
    tokens, laws = SOUND.propose(fixture, text)
    unlikely = (place for place, (token, law) in enumerate(zip(tokens, laws, strict=True)) if law[token] < UNLIKELY)
    kept = next(unlikely, len(tokens)) + 1
    return Proposal(tokens[:kept], laws[:kept])


MEMBER = Member(SOUND._replace(propose=propose))
