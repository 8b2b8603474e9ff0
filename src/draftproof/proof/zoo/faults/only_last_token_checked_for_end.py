"""Only the last token of a block can end the text; an end before it is passed over."""

from collections.abc import Sequence
from dataclasses import replace

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit


def commit_whole_block(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    commit(replace(fixture, ends=frozenset()), text, proposal, rows, verdict)
    text.ended = text.ended or text.emitted[-1] in fixture.ends


MEMBER = Member(
    SOUND._replace(commit=commit_whole_block),
    mechanism="M4",
    reports=("koboldcpp#1276", "openvino.genai#1951", "onnxruntime-genai#2528"),
    fixtures="ends",
)
