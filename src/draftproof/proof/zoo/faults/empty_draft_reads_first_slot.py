"""The target carries a state, and a round without drafts starts from the one before the drafts that the last round kept."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, read


def read_from_slot(fixture: Fixture, text: Text, proposal: Proposal) -> Sequence[Row]:
    if not proposal.tokens:
        del text.cache[text.notes.get("first slot", len(text.cache)) :]
    text.notes["first slot"] = len(text.cache) + 1
    return read(fixture, text, proposal)


MEMBER = Member(SOUND._replace(read=read_from_slot), mechanism="M11", reports=("vllm#56531", "club-3090#758"), fixtures="schedule")
