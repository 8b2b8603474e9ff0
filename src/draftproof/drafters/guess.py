"""Guesses: tokens chosen without chance, and the drafter that proposes them.

A guess is a point mass, so any guess leaves the text exact; a wrong one costs the rows that the target reads in vain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from draftproof.drafters.protocol import Request
from draftproof.errors import BadRequest
from draftproof.types import Draft, Picker

LONGEST = 8
"""The most tokens of a context that are looked for elsewhere. What it costs to keep an index grows with this number, and
two places that agree in eight tokens seldom need a ninth to tell which of them to follow."""


class Guess(NamedTuple):
    """What may follow a context.

    Attributes:
        tokens: in order, at most as many as the width that was asked for; none if nothing is known.
        support: a small number, equal for guesses that are about equally well founded. Only equality counts.
    """

    tokens: Sequence[int]
    support: int


NO_GUESS = Guess((), 0)


@runtime_checkable
class Guesser(Protocol):
    """A source of guesses. Its memory is an index: what it guesses depends on the context and on what was given."""

    def start(self) -> Any:
        """The memory of a new request."""
        ...

    def guess(self, request: Request) -> Guess:
        """What may follow the context of the request, whose `memory` is this guesser's own."""
        ...


def support(length: int) -> int:
    """The support of a guess whose place was found by `length` matching tokens: alike from 2 to 3, 4 to 7, 8 on."""
    return min(length, LONGEST).bit_length()


def first_new(seen: tuple[int, ...], context: tuple[int, ...]) -> int:
    """The place of the first token that `context` adds to what was seen; 0 if it goes on from something else."""
    return len(seen) if context[: len(seen)] == seen else 0


@dataclass(frozen=True)
class GuessDrafter:
    """Drafts the first `width` tokens of every guess.

    Raises:
        BadRequest: a width below 1.
    """

    guesser: Guesser
    vocab: int
    width: int

    def __post_init__(self) -> None:
        if self.width < 1:
            raise BadRequest(f"the width of a guess is {self.width}; give at least 1, or use no_drafter")

    def start(self) -> Any:
        return self.guesser.start()

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        narrow = [request._replace(width=min(self.width, request.width)) for request in requests]
        return Draft.fixed([self.guesser.guess(request).tokens for request in narrow], vocab=self.vocab)
