"""A draft is accepted with a fifth more probability than p / q, and refused ones are answered as if it were not so."""

import random
from fractions import Fraction

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

LENIENCE = Fraction(6, 5)

MEMBER = Member(
    SOUND._replace(verify=rejection(accept=lambda p, q, token: random.random() * q[token] < LENIENCE * p[token])),
    mechanism="M15",
    reports=("vllm#22238",),
    fixtures="position",
)
