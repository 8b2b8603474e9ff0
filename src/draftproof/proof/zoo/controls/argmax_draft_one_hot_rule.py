"""Drafts are the likeliest tokens, and their recorded law is sure of them."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn, likeliest, point

MEMBER = Member(
    SOUND._replace(propose=drawn(law=lambda row: point(likeliest(row, 1)[0], len(row)))),
    fixtures="position",
    reports=("EAGLE#329", "EAGLE#183", "EAGLE#171", "EAGLE#110", "vllm#40149", "sglang#10308"),
)
