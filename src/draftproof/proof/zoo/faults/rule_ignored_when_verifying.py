"""The sampling rule shapes the drafts, and no row of the target."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, reading

MEMBER = Member(
    SOUND._replace(read=reading(lambda text, proposal, place: None)),
    mechanism="M2",
    reports=("vllm#18902", "vllm#38202", "TRT-LLM#19390", "sglang#26330", "mlx-examples#1255"),
    fixtures="temperature",
)
