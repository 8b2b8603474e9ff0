"""Drafts are the likeliest tokens, and the draft model's row is recorded as the law they were drawn from."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn, likeliest, point

MEMBER = Member(
    SOUND._replace(propose=drawn(law=lambda row: point(likeliest(row, 1)[0], len(row)), recorded=lambda row: row)),
    mechanism="M1",
    reports=("xllm#2175", "ml-recurrent-drafter#6", "transformers#28166"),
    fixtures="position",
    distances={"F1": 0.2, "F2": 0.086, "F3": 0.313, "F4": 0.2},
)
