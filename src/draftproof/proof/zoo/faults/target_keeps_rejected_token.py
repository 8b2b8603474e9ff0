"""The first rejected draft token stays in the target's cache."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import keeping, kept

MEMBER = Member(
    keeping(lambda text, proposal, verdict: text.cache[: kept(text, proposal, verdict) + 1]),
    mechanism="M3",
    reports=("mlx-lm#846", "mlx-lm#1109", "llama.cpp#20075", "transformers#30312"),
    fixtures="loop",
)
