"""The length is looked at before a block and not in it, so a text can be longer than asked for."""

from collections.abc import Sequence
from dataclasses import replace

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit


def commit_beyond_length(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    commit(replace(fixture, length=fixture.length + len(rows)), text, proposal, rows, verdict)
    text.ended = text.ended or len(text.emitted) >= fixture.length


MEMBER = Member(
    SOUND._replace(commit=commit_beyond_length), mechanism="M4", reports=("openvino.genai#3293", "sglang#39826"), fixtures="ends"
)
