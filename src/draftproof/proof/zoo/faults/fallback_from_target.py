"""After a rejection the token is drawn from the target's row, not from what the draft left of it."""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

MEMBER = Member(
    SOUND._replace(verify=rejection(fallback=lambda p, q: p)),
    mechanism="M6",
    reports=("transformers#28508", "Spec-RL#14"),
    fixtures="position",
    distances={"F1": 0.2, "F2": 0.1, "F3": 0.14, "F4": 0.125},
)
