"""One random number decides the acceptance of every drafted token of a round."""

import random
from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, residual, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    coin = random.random()
    for place, (token, law) in enumerate(zip(*proposal, strict=True)):
        if not coin * law[token] < rows[place][token]:
            return Verdict(place, sample(residual(rows[place], law)))
    return Verdict(len(proposal.tokens), sample(rows[-1]))


MEMBER = Member(SOUND._replace(verify=verify), mechanism="M9", reports=("vllm#6038", "vllm#10863"), fixtures="loop")
