"""The penalty counts a rejected draft token as if it had been emitted."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import counting

MEMBER = Member(
    counting(lambda proposal, verdict: [*proposal.tokens[: verdict.accepted + 1], verdict.token]),
    mechanism="M7",
    reports=("mlx-lm#1175", "vllm#33251", "vmlx-swift#357"),
    fixtures="penalty",
)
