"""A draft is accepted with probability q / p in place of p / q."""

import random

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

MEMBER = Member(
    SOUND._replace(verify=rejection(accept=lambda p, q, token: random.random() * p[token] < q[token])),
    mechanism="M15",
    fixtures="position",
    distances={"F1": 0.4, "F2": 0.5, "F3": 0.4, "F4": 0.5},
)
