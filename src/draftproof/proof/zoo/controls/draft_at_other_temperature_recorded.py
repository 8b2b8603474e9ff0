"""Drafts are drawn at temperature 1/2, and the row at that temperature is recorded."""

from draftproof.proof.zoo.faults.drawn_at_other_temperature import colder
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn

MEMBER = Member(SOUND._replace(propose=drawn(law=colder)), fixtures="position")
