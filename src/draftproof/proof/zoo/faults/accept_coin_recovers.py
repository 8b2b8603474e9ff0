"""The random number that refused a drafted token also draws the one in its place."""

import random
from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, pick, residual, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    for place, (token, law) in enumerate(zip(*proposal, strict=True)):
        coin = random.random()
        if not coin * law[token] < rows[place][token]:
            return Verdict(place, pick(residual(rows[place], law), coin))
    return Verdict(len(proposal.tokens), sample(rows[-1]))


MEMBER = Member(
    SOUND._replace(verify=verify),
    mechanism="M9",
    reports=("flashinfer#424",),
    fixtures="position",
    distances={"F1": 0.0, "F2": 0.08, "F3": 0.075, "F4": 0.08},
)
