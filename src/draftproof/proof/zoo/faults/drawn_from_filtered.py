"""Drafts are drawn from the two likeliest tokens, and the draft model's unfiltered row is recorded as their law."""

from draftproof.proof.decoders.fixture import Row, normalised
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn, likeliest


def top_two(row: Row) -> Row:
    best = likeliest(row, 2)
    return normalised([weight * (token in best) for token, weight in enumerate(row)])


MEMBER = Member(
    SOUND._replace(propose=drawn(law=top_two, recorded=lambda row: row)),
    mechanism="M1",
    reports=("transformers#47932", "mlx-node#11", "DeepSpec#31"),
    fixtures="position",
    distances={"F1": 0.056, "F2": 0.078, "F3": 0.157, "F4": 0.114},
)
