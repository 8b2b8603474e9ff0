"""The target's cache loses the last draft token that was kept."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit


def keeping_one_less(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    commit(fixture, text, proposal, rows, verdict)
    if verdict.accepted:
        text.cache.pop()


MEMBER = Member(SOUND._replace(commit=keeping_one_less), mechanism="M3", reports=("vllm#52942",), fixtures="loop")
