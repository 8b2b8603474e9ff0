"""The target's likeliest token is emitted although sampling was asked for."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, likeliest


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    best = [likeliest(row, 1)[0] for row in rows]
    kept = next((place for place, token in enumerate(proposal.tokens) if token != best[place]), len(proposal.tokens))
    return Verdict(kept, best[kept])


MEMBER = Member(
    SOUND._replace(verify=verify),
    mechanism="M5",
    reports=("sglang#31214", "sglang#32922", "TRT-LLM#19390", "mistral.rs#2424", "SwiftLM#88", "MTPLX#248"),
    fixtures="position",
    distances={"F1": 0.5, "F2": 0.5, "F3": 0.6, "F4": 0.6},
)
