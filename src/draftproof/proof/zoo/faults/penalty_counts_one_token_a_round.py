"""The penalty counts one token of each round, the last."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import counting

MEMBER = Member(counting(lambda proposal, verdict: [verdict.token]), mechanism="M7", reports=("sglang#33643",), fixtures="penalty")
