"""The end of the text is forbidden where drafts are verified, so that it cannot fall inside a block."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row, normalised
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, read


def read_without_end(fixture: Fixture, text: Text, proposal: Proposal) -> Sequence[Row]:
    *verifying, last = read(fixture, text, proposal)
    return [*(normalised([weight * (token not in fixture.ends) for token, weight in enumerate(row)]) for row in verifying), last]


MEMBER = Member(SOUND._replace(read=read_without_end), mechanism="M4", reports=("vllm#41493",), fixtures="ends")
