"""The token after a draft that was kept whole is drawn from the row before its last token."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    return rejection()([*rows[:-1], rows[len(proposal.tokens) - 1]], proposal)


MEMBER = Member(SOUND._replace(verify=verify), mechanism="M8", reports=("mlx-node#11",), fixtures="loop")
