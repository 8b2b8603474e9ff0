"""The probability that is reported for a kept draft token is the draft model's."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit


def commit_reporting(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    commit(fixture, text, proposal, [*proposal.laws[: verdict.accepted], *rows[verdict.accepted :]], verdict)


MEMBER = Member(SOUND._replace(commit=commit_reporting), mechanism="M17", reports=("vllm#53488",), fixtures="probabilities")
