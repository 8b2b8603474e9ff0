"""The first rejected draft token stays in the target's cache."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit, kept


def keeping_one_more(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    cache = text.cache[: kept(text, proposal, verdict) + 1]
    commit(fixture, text, proposal, rows, verdict)
    text.cache = cache


MEMBER = Member(
    SOUND._replace(commit=keeping_one_more),
    mechanism="M3",
    reports=("mlx-lm#846", "mlx-lm#1109", "llama.cpp#20075", "transformers#30312"),
    fixtures="loop",
)
