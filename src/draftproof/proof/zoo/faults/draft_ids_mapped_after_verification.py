"""The draft model's ids are verified as they are, and mapped to the target's ids when they are emitted."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit_anew


def commit_mapped(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    mapped = [(token + 1) % fixture.vocab for token in proposal.tokens]
    commit_anew(fixture, text, proposal._replace(tokens=mapped), rows, verdict)


MEMBER = Member(
    SOUND._replace(commit=commit_mapped), mechanism="M14", reports=("verl-SpeCo#67", "verl-SpeCo#66", "Automodel#2447"), fixtures="loop"
)
