"""The likeliest drafts are tested independently and the best that passes is kept; if none does, only the best is ruled out."""

import random
from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, candidates, likeliest, point, residual, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    p = rows[0]
    for token in [token for token in proposal.tokens if random.random() < p[token]]:
        return Verdict(0, token)
    return Verdict(0, sample(residual(p, point(proposal.tokens[0], len(p))) if proposal.tokens else p))


MEMBER = Member(
    SOUND._replace(propose=candidates(likeliest), verify=verify),
    mechanism="M10",
    reports=("ml-recurrent-drafter#6",),
    fixtures="siblings",
    distances={"F1": 0.1, "F2": 0.15, "F3": 0.14, "F4": 0.064},
)
