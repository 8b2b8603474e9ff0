"""After a rejection the token is drawn from the next row, which takes the rejected token for kept."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, ratio, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    for place, (token, law) in enumerate(zip(*proposal, strict=True)):
        if not ratio(rows[place], law, token):
            return Verdict(place, sample(rows[place + 1]))
    return Verdict(len(proposal.tokens), sample(rows[-1]))


MEMBER = Member(SOUND._replace(verify=verify), mechanism="M8", reports=("openvino.genai#4190", "ds4#358"), fixtures="loop")
