"""Of the rows of a round only the first is masked."""

from collections.abc import Sequence

from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, reading


def looked_back(text: Text, proposal: Proposal, place: int) -> Sequence[int] | None:
    return None if place else text.emitted


MEMBER = Member(SOUND._replace(read=reading(looked_back)), mechanism="M13", reports=("vllm#53777", "fak#5271"), fixtures="grammar")
