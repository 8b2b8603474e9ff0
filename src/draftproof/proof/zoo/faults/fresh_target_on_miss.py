"""A target sample that differs from the draft is discarded, and a fresh one is emitted.

Emitting the sample itself is sound: that it differs from the draft is part of its law.
"""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    for place, token in enumerate(proposal.tokens):
        if sample(rows[place]) != token:
            return Verdict(place, sample(rows[place]))
    return Verdict(len(proposal.tokens), sample(rows[-1]))


MEMBER = Member(
    SOUND._replace(verify=verify),
    mechanism="M6",
    fixtures="position",
    distances={"F1": 0.095, "F2": 0.086, "F3": 0.04, "F4": 0.041},
)
