"""A draft is accepted in proportion to the target's probability of it, measured against its largest."""

import random

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

MEMBER = Member(
    SOUND._replace(verify=rejection(accept=lambda p, q, token: random.random() * max(p) < p[token])),
    mechanism="M15",
    fixtures="position",
    distances={"F1": 0.08, "F2": 0.08, "F3": 0.075, "F4": 0.065},
)
