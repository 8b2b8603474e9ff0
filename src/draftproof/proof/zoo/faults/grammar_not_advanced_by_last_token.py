"""The grammar is advanced by the drafts that were kept, and not by the token after them."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import counting

MEMBER = Member(
    counting(lambda proposal, verdict: proposal.tokens[: verdict.accepted]),
    mechanism="M13",
    reports=("lmdeploy#4559", "outlines#845"),
    fixtures="grammar",
)
