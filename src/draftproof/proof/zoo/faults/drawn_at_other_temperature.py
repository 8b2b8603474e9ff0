"""Drafts are drawn at temperature 1/2, and the draft model's row at temperature 1 is recorded as their law."""

from draftproof.proof.decoders.fixture import Row, normalised
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn


def colder(row: Row) -> Row:
    return normalised([weight**2 for weight in row])


MEMBER = Member(
    SOUND._replace(propose=drawn(law=colder, recorded=lambda row: row)),
    mechanism="M1",
    reports=("transformers#33534", "mlx-node#11"),
    fixtures="position",
)
