"""The sampling rule of every row of a round looks back on the text before the round, not on the drafts before the row."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, reading

MEMBER = Member(
    SOUND._replace(read=reading(lambda text, proposal, place: text.emitted)),
    mechanism="M7",
    reports=("sglang#28200", "sglang#28242", "vllm#46272"),
    fixtures="penalty",
)
