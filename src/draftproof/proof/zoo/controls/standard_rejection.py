"""Standard rejection of a chain, in rounds that draft nothing, two tokens or one."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND

MEMBER = Member(SOUND, fixtures="schedule")
