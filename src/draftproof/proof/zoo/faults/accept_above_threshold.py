"""A draft is accepted if the target gives it at least 1/4; otherwise the target's row is sampled."""

from fractions import Fraction

from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, rejection

THRESHOLD = Fraction(1, 4)

MEMBER = Member(
    SOUND._replace(verify=rejection(accept=lambda p, q, token: p[token] >= THRESHOLD, fallback=lambda p, q: p)),
    mechanism="M15",
    reports=("vllm#5131", "TRT-LLM#3865", "sglang#7702"),
    fixtures="position",
    distances={"F1": 0.39, "F2": 0.06, "F3": 0.11, "F4": 0.088},
)
