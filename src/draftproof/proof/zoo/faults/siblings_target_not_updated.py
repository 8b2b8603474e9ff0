"""Candidates for one position are tested one after another, each against the target's full row.

After a refusal the target's row should be what the draft left of it. The second candidate and its fallback make up p
again, so with two the law is that of a fallback to the target's row.
"""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, candidates, ratio, residual, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    fallback = rows[0]
    for token, law in zip(*proposal, strict=True):
        if ratio(rows[0], law, token):
            return Verdict(0, token)
        fallback = residual(rows[0], law)
    return Verdict(0, sample(fallback))


MEMBER = Member(
    SOUND._replace(propose=candidates(lambda row, count: [sample(row) for _ in range(count)]), verify=verify),
    mechanism="M10",
    fixtures="siblings",
    distances={"F1": 0.2, "F2": 0.1, "F3": 0.14, "F4": 0.125},
)
