"""After a rejection the residual is normalised by a softmax, which gives weight to tokens that have none."""

import math
from fractions import Fraction

from draftproof.proof.decoders.fixture import Row, normalised
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection


def softmax(p: Row, q: Row) -> Row:
    return normalised([Fraction(math.exp(max(a - b, Fraction(0)))) for a, b in zip(p, q, strict=True)])


MEMBER = Member(
    SOUND._replace(verify=rejection(fallback=softmax)),
    mechanism="M6",
    reports=("transformers#28508",),
    fixtures="position",
    distances={"F1": 0.229, "F2": 0.14, "F3": 0.18, "F4": 0.18},
)
