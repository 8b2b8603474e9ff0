"""After a rejection the target's likeliest token is emitted.

Where the residual has one token and it is the likeliest, as on F1, nothing shows.
"""

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, likeliest, point, rejection

MEMBER = Member(
    SOUND._replace(verify=rejection(fallback=lambda p, q: point(likeliest(p, 1)[0], len(p)))),
    mechanism="M6",
    fixtures="position",
    distances={"F1": 0.0, "F2": 0.2, "F3": 0.1, "F4": 0.2},
)
