"""Only the row after the last draft is under the sampling rule; the rows that verify drafts are not."""

from collections.abc import Sequence

from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, reading, so_far


def looked_back(text: Text, proposal: Proposal, place: int) -> Sequence[int] | None:
    return so_far(text, proposal, place) if place == len(proposal.tokens) else None


MEMBER = Member(
    SOUND._replace(read=reading(looked_back)),
    mechanism="M2",
    reports=("vllm#9834", "vllm#10198", "sglang#28200", "sglang#28242"),
    fixtures="penalty",
)
