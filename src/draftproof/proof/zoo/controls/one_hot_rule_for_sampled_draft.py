"""Drafts are drawn, but verified as if they were fixed: kept with p(x), and p without x after a rejection.

The rule of fixed drafts is right for each token by itself, so it is right however the token was chosen.
"""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, point


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    fixed = [point(token, len(rows[0])) for token in proposal.tokens]
    return SOUND.verify(rows, Proposal(proposal.tokens, fixed))


MEMBER = Member(SOUND._replace(verify=verify), fixtures="position", reports=("vllm#40149",))
