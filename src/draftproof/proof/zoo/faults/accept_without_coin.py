"""A draft is accepted if the target thinks it at least as likely as the draft does, and refused otherwise."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

MEMBER = Member(
    SOUND._replace(verify=rejection(accept=lambda p, q, token: p[token] >= q[token])),
    mechanism="M15",
    reports=("vllm blog#80",),
    fixtures="position",
    distances={"F1": 0.5, "F2": 0.2, "F3": 0.3, "F4": 0.2},
)
