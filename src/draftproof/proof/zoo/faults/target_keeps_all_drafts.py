"""Every draft token stays in the target's cache, whether it was kept or not."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import keeping

MEMBER = Member(
    keeping(lambda text, proposal, verdict: list(text.cache)),
    mechanism="M3",
    reports=("mlx-lm#1423", "aprender#2014", "mlx-vlm#1155", "buun-llama-cpp#74"),
    fixtures="loop",
)
