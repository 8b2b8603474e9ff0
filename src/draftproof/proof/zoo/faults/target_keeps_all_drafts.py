"""Every draft token stays in the target's cache, whether it was kept or not."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Proposal, Text, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit


def keeping_all(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    cache = list(text.cache)
    commit(fixture, text, proposal, rows, verdict)
    text.cache = cache


MEMBER = Member(
    SOUND._replace(commit=keeping_all),
    mechanism="M3",
    reports=("mlx-lm#1423", "aprender#2014", "mlx-vlm#1155", "buun-llama-cpp#74"),
    fixtures="loop",
)
