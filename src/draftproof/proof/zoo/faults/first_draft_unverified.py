"""The first drafted token is kept without a test."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    skipped = min(len(proposal.tokens), 1)
    accepted, token = SOUND.verify(rows[skipped:], Proposal(proposal.tokens[skipped:], proposal.laws[skipped:]))
    return Verdict(skipped + accepted, token)


MEMBER = Member(
    SOUND._replace(verify=verify),
    mechanism="M8",
    reports=("lattice#243",),
    fixtures="position",
    distances={"F1": 0.4, "F2": 0.5, "F3": 0.4, "F4": 0.5},
)
