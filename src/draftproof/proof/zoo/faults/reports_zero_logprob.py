"""The log-probability that is reported is 0 for every token."""

from collections.abc import Sequence
from fractions import Fraction

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit


def commit_reporting(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    sure = (Fraction(1),) * fixture.vocab
    commit(fixture, text, proposal, [sure] * len(rows), verdict)


MEMBER = Member(
    SOUND._replace(commit=commit_reporting), mechanism="M17", reports=("llama.cpp#27972", "sglang#4195"), fixtures="probabilities"
)
