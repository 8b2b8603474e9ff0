"""Candidates drawn without replacement: each is tested against what is left, of the target and of the draft."""

from collections.abc import Sequence
from fractions import Fraction

from draftproof.proof.decoders.fixture import Fixture, normalised
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, in_turn, sample, width


def propose(fixture: Fixture, text: Text) -> Proposal:
    proposal = Proposal([], [])
    left: Sequence[Fraction] = fixture.processed(fixture.draft.law(text.context), text.emitted)
    while any(left) and len(proposal.tokens) < width(fixture, text):
        proposal.laws.append(normalised(left))
        proposal.tokens.append(sample(proposal.laws[-1]))
        left = [weight * (token not in proposal.tokens) for token, weight in enumerate(left)]
    return proposal


MEMBER = Member(SOUND._replace(propose=propose, verify=in_turn), fixtures="siblings", reports=("MCSD#5",))
