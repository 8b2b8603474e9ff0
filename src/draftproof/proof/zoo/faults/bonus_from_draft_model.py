"""The token after a draft that was kept whole is drawn from the draft model."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, read, so_far


def read_all_but_last(fixture: Fixture, text: Text, proposal: Proposal) -> Sequence[Row]:
    *verifying, _ = read(fixture, text, proposal)
    emitted = so_far(text, proposal, len(proposal.tokens))
    return [*verifying, fixture.processed(fixture.draft.law([*text.prompt, *emitted]), emitted)]


MEMBER = Member(SOUND._replace(read=read_all_but_last), mechanism="M8", reports=("llama-cpp-python#1179",), fixtures="loop")
