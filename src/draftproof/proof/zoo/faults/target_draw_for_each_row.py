"""Each of several fixed drafts meets a target sample of its own, and a fresh one is emitted if none matches."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, candidates, likeliest, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    matches = (token for token in proposal.tokens if sample(rows[0]) == token)
    token = next(matches, None)
    return Verdict(0, sample(rows[0]) if token is None else token)


MEMBER = Member(
    SOUND._replace(propose=candidates(likeliest), verify=verify),
    mechanism="M10",
    reports=("fms-extras#12",),
    fixtures="siblings",
    distances={"F1": 0.22, "F2": 0.18, "F3": 0.196, "F4": 0.152},
)
