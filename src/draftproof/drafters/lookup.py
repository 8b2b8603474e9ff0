"""Prompt lookup: what followed the last place where the text ended as it does now."""

from dataclasses import dataclass, field

from draftproof.drafters.guess import LONGEST, NO_GUESS, Guess, first_new, support
from draftproof.drafters.protocol import Request
from draftproof.errors import BadRequest


@dataclass
class Memory:
    """Where each short sequence of the context was last followed by a token.

    Attributes:
        seen: the context that is indexed.
        places: from a sequence to the place of the token that followed its last occurrence. The sequences at the very
            end of the context are not among them: nothing has followed them yet.
    """

    seen: tuple[int, ...] = ()
    places: dict[tuple[int, ...], int] = field(default_factory=dict)

    def read(self, context: tuple[int, ...], least: int, longest: int) -> None:
        """Index what the context adds to what was seen."""
        start = first_new(self.seen, context)
        if not start:
            self.places.clear()
        for place in range(max(start, 1), len(context)):
            for length in range(least, min(longest, place) + 1):
                self.places[context[place - length : place]] = place
        self.seen = context


@dataclass(frozen=True)
class Lookup:
    """The longest suffix of the context that occurred before, and what followed its last earlier occurrence.

    A guess that reaches the end of the context goes on with its own tokens, so a repetition is repeated to the full width.

    Attributes:
        least: the fewest tokens of a suffix that is looked up. One token is often matched by chance; its guesses are told
            apart by their support, but at a fixed width, where nobody looks at it, 2 may do better.
        longest: the most; see `guess.LONGEST`.

    Raises:
        BadRequest: not 1 <= least <= longest.
    """

    least: int = 1
    longest: int = LONGEST

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.longest:
            raise BadRequest(f"a lookup of {self.least} to {self.longest} tokens finds nothing; give 1 <= least <= longest")

    def start(self) -> Memory:
        return Memory()

    def guess(self, request: Request) -> Guess:
        context = request.context
        request.memory.read(context, self.least, self.longest)
        for length in range(min(self.longest, len(context) - 1), self.least - 1, -1):
            if place := request.memory.places.get(context[-length:]):
                return Guess(_copied(context, place, request.width), support(length))
        return NO_GUESS


def _copied(context: tuple[int, ...], place: int, width: int) -> list[int]:
    """`width` tokens from `place` on, the text being continued by the copy itself."""
    tokens = list(context[place : place + width])
    while len(tokens) < width:
        tokens.append(tokens[place - len(context)])
    return tokens
