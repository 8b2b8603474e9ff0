"""Sound rounds on random numbers that are given, for decoders that use the same numbers more than once."""

import random
from collections.abc import Sequence
from typing import Any

from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Decoder
from draftproof.proof.zoo.specimen import SOUND, drawn, pick, rejection


def numbers(fixture: Fixture) -> list[Any]:
    """As many as a round can use: one for each draft, one for each acceptance, one for the last token."""
    return [random.random() for _ in range(2 * max(fixture.widths) + 1)]


def on(numbers: Sequence[Any]) -> Decoder:
    """A decoder that takes its numbers from a list, from its start."""
    stream = iter(numbers)

    def draw(law: Row) -> int:
        return pick(law, next(stream))

    def accept(p: Row, q: Row, token: int) -> bool:
        return bool(next(stream) * q[token] < p[token])

    return SOUND._replace(propose=drawn(draw=draw), verify=rejection(accept, draw=draw))
