"""The probability that is reported after a rejection is that of the residual, which was worked out in place of the row."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit, residual


def commit_reporting(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    place, changed = verdict.accepted, list(rows)
    if place < len(proposal.tokens):
        changed[place] = residual(rows[place], proposal.laws[place])
    commit(fixture, text, proposal, changed, verdict)


MEMBER = Member(SOUND._replace(commit=commit_reporting), mechanism="M17", reports=("vllm#30846", "sglang#17349"), fixtures="probabilities")
