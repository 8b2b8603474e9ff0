"""What is left after a rejection is worked out with the draft law of the first position, wherever the rejection was."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, ratio, residual, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    for place, (token, law) in enumerate(zip(*proposal, strict=True)):
        if not ratio(rows[place], law, token):
            return Verdict(place, sample(residual(rows[place], proposal.laws[0])))
    return Verdict(len(proposal.tokens), sample(rows[-1]))


MEMBER = Member(SOUND._replace(verify=verify), mechanism="M8", reports=("mlxcel#1214",), fixtures="loop")
