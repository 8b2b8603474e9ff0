"""A fixed list of candidates for one position: each is kept with its probability in what the earlier ones left of the target."""

import random
from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, candidates, likeliest, point, residual, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    p = rows[0]
    for token in proposal.tokens:
        if random.random() < p[token]:
            return Verdict(0, token)
        p = residual(p, point(token, len(p)))
    return Verdict(0, sample(p))


MEMBER = Member(
    SOUND._replace(propose=candidates(likeliest), verify=verify),
    fixtures="siblings",
    reports=("EAGLE#329", "EAGLE#183", "EAGLE#301"),
)
