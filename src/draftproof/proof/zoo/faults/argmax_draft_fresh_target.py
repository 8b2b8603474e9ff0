"""Drafts are the likeliest tokens, accepted with their probability; after a rejection the refused token can be drawn again."""

import random

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn, likeliest, point, rejection

MEMBER = Member(
    SOUND._replace(
        propose=drawn(law=lambda row: point(likeliest(row, 1)[0], len(row))),
        verify=rejection(accept=lambda p, q, token: random.random() < p[token], fallback=lambda p, q: p),
    ),
    mechanism="M6",
    fixtures="position",
    distances={"F1": 0.21, "F2": 0.16, "F3": 0.09, "F4": 0.106},
)
