"""The grammar has read the whole draft when it goes on, and is not taken back to what was kept."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import counting

MEMBER = Member(
    counting(lambda proposal, verdict: [*proposal.tokens, verdict.token]),
    mechanism="M13",
    reports=("vllm#36138", "vllm#44297", "mlx-engine#112"),
    fixtures="grammar",
)
