"""A draft is accepted by the rule of fixed drafts, and its rejection answered by that of drawn ones.

Accepting with p(x) is sound beside a fallback to p without x, and a fallback to p - q beside acceptance with p / q.
"""

import random

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

MEMBER = Member(
    SOUND._replace(verify=rejection(accept=lambda p, q, token: random.random() < p[token])),
    mechanism="M6",
    fixtures="position",
    distances={"F1": 0.26, "F2": 0.06, "F3": 0.24, "F4": 0.172},
)
