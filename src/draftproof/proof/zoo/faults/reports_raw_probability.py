"""The probability that is reported is the one before the sampling rule."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit, kept


def commit_reporting(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    first = kept(text, proposal, verdict) - verdict.accepted
    raw = [fixture.target.law(text.cache[: first + place]) for place in range(len(rows))]
    commit(fixture, text, proposal, raw, verdict)


MEMBER = Member(
    SOUND._replace(commit=commit_reporting), mechanism="M17", reports=("mlx-examples#1291", "vllm#34497"), fixtures="probabilities"
)
