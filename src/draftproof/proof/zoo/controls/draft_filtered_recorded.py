"""Drafts are drawn from the two likeliest tokens, and the filtered row is recorded."""

from draftproof.proof.zoo.faults.drawn_from_filtered import top_two
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn

MEMBER = Member(SOUND._replace(propose=drawn(law=top_two)), fixtures="position")
