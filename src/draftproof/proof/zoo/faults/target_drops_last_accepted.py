"""The target's cache loses the last draft token that was kept."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import keeping, kept

MEMBER = Member(
    keeping(lambda text, proposal, verdict: text.cache[: kept(text, proposal, verdict) - bool(verdict.accepted)]),
    mechanism="M3",
    reports=("vllm#52942",),
    fixtures="loop",
)
