"""The target carries a state from round to round, and a round without drafts updates another slot than the one that is read next."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, read


def read_from_slot(fixture: Fixture, text: Text, proposal: Proposal) -> Sequence[Row]:
    slot = list(text.cache)
    rows = read(fixture, text, proposal)
    if not proposal.tokens:
        text.cache = slot
    return rows


MEMBER = Member(
    SOUND._replace(read=read_from_slot), mechanism="M11", reports=("vllm#39273", "vllm#52942", "vllm#53505"), fixtures="schedule"
)
