"""The coin has three bits and may be 0, at which a token is accepted that the target never emits.

With 24 bits, as in production, it is the same fault once in 16 million: a coin of 0 must not be at most p = 0.
"""

import random
from fractions import Fraction

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

SIDES = 8

MEMBER = Member(
    SOUND._replace(verify=rejection(accept=lambda p, q, token: Fraction(random.randrange(SIDES), SIDES) * q[token] <= p[token])),
    mechanism="M15",
    reports=("sglang#35798", "sglang#30822", "1bit-MONSTER#637"),
    fixtures="position",
)
