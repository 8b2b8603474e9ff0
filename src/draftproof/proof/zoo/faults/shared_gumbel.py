"""One vector of noise decides the race for a drafted token and the race for the token in its place.

An exponential divided by a probability, the smallest first, is the race that adds Gumbel noise to a logarithm.
"""

import random
from collections.abc import Sequence
from typing import Any

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Decoder, Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, drawn, ratio, renewed, residual, sample


def race(row: Row, noise: Sequence[Any]) -> int:
    return min((token for token, weight in enumerate(row) if weight), key=lambda token: noise[token] / row[token])


def sharing() -> Decoder:
    noises: list[list[Any]] = []

    def draw(row: Row) -> int:
        noises.append([random.expovariate(1.0) for _ in row])
        return race(row, noises[-1])

    def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
        for place, (token, law) in enumerate(zip(*proposal, strict=True)):
            if not ratio(rows[place], law, token):
                return Verdict(place, race(residual(rows[place], law), noises[place]))
        return Verdict(len(proposal.tokens), sample(rows[-1]))

    return SOUND._replace(propose=drawn(draw=draw), verify=verify)


MEMBER = Member(
    renewed(sharing),
    mechanism="M9",
    reports=("vllm#47386", "vllm#54282", "local-inference-lab/vllm#205"),
    fixtures="position",
    distances={"F1": 0.0, "F2": 0.01, "F3": 0.033, "F4": 0.031},
)
