"""The row after the last draft is left without the sampling rule."""

from collections.abc import Sequence

from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, reading, so_far


def looked_back(text: Text, proposal: Proposal, place: int) -> Sequence[int] | None:
    return so_far(text, proposal, place) if place < len(proposal.tokens) else None


MEMBER = Member(
    SOUND._replace(read=reading(looked_back)),
    mechanism="M2",
    reports=("vllm#42744", "TRT-LLM#17701", "sglang#36173", "mlx-vlm#2029"),
    fixtures="filter",
)
