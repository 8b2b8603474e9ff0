"""A whole block is emitted before anybody looks for the end of the text in it."""

from collections.abc import Sequence
from dataclasses import replace

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit


def commit_whole_block(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    commit(replace(fixture, ends=frozenset()), text, proposal, rows, verdict)
    text.ended = text.ended or not fixture.ends.isdisjoint(text.emitted)


MEMBER = Member(
    SOUND._replace(commit=commit_whole_block),
    mechanism="M4",
    reports=("transformers#47912", "sglang#31599", "sglang#33758", "llama.cpp#28049"),
    fixtures="ends",
)
