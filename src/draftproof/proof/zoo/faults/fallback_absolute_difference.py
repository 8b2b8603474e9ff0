"""After a rejection the token is drawn from |p - q|, so from what the draft has too much of as well."""

from draftproof.proof.decoders.fixture import Row, normalised
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection


def difference(p: Row, q: Row) -> Row:
    return p if p == q else normalised([abs(a - b) for a, b in zip(p, q, strict=True)])


MEMBER = Member(
    SOUND._replace(verify=rejection(fallback=difference)),
    mechanism="M6",
    fixtures="position",
    distances={"F1": 0.2, "F2": 0.25, "F3": 0.2, "F4": 0.25},
)
