"""The random number that drew a drafted token also decides its acceptance."""

import random
from collections import deque
from typing import Any

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Decoder
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn, pick, rejection, renewed


def sharing() -> Decoder:
    numbers: deque[Any] = deque()

    def draw(row: Row) -> int:
        numbers.append(random.random())
        return pick(row, numbers[-1])

    def accept(p: Row, q: Row, token: int) -> bool:
        return bool(numbers.popleft() * q[token] < p[token])

    return SOUND._replace(propose=drawn(draw=draw), verify=rejection(accept))


MEMBER = Member(
    renewed(sharing),
    mechanism="M9",
    reports=("flashinfer#424", "TRT-LLM#17599"),
    fixtures="position",
    distances={"F1": 0.2, "F2": 0.2, "F3": 0.1, "F4": 0.2},
)
