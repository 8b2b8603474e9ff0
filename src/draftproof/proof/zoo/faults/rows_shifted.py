"""Every draft token is verified with the row after it, which already takes it for kept."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    return rejection()([*rows[1:], rows[-1]], proposal)


MEMBER = Member(SOUND._replace(verify=verify), mechanism="M8", reports=("lattice#243", "flash-attention#2779"), fixtures="loop")
