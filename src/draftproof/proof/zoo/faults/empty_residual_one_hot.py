"""The target's row is rounded down, so that a draft is refused where nothing is left to put in its place, and the guard emits token 0."""

from fractions import Fraction

from draftproof.proof.decoders.fixture import Row, normalised
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, point, ratio, rejection

STEPS = 16


def rounded(row: Row) -> Row:
    return tuple(Fraction(int(weight * STEPS), STEPS) for weight in row)


def fallback(p: Row, q: Row) -> Row:
    left = [max(a - b, Fraction(0)) for a, b in zip(rounded(p), q, strict=True)]
    return normalised(left) if any(left) else point(0, len(p))


MEMBER = Member(
    SOUND._replace(verify=rejection(lambda p, q, token: ratio(rounded(p), q, token), fallback)),
    mechanism="M18",
    reports=("MTPLX#82",),
    fixtures="position",
)
