"""Follow a text that the author of the request expects, as when a document is to be edited (`Decoder.open(given=...)`)."""

from bisect import bisect_left
from dataclasses import dataclass, field

from draftproof.drafters.guess import LONGEST, Guess, first_new, support
from draftproof.drafters.protocol import Request


@dataclass
class Memory:
    """Where in the given text the emitted text stands.

    Attributes:
        given: the text that is indexed.
        seen: the context that was followed.
        place: the place in `given` whose token is expected next.
        run: how many of the last emitted tokens, up to `LONGEST`, agree with those before `place`.
        ends: from a short sequence to the places that it ends before, in order.
    """

    given: tuple[int, ...] = ()
    seen: tuple[int, ...] = ()
    place: int = 0
    run: int = 0
    ends: dict[tuple[int, ...], list[int]] = field(default_factory=dict)

    def read(self, request: Request) -> None:
        """Follow what the context adds to what was seen."""
        start = first_new(self.seen, request.context)
        if request.given != self.given:
            self.given, start = request.given, 0
            self.ends = _ends(self.given)
        if not start:
            self.place = self.run = 0
        for end in range(max(start, request.prompt_tokens), len(request.context)):
            self._follow(request.context[max(end + 1 - LONGEST, request.prompt_tokens) : end + 1])
        self.seen = request.context

    def _follow(self, last: tuple[int, ...]) -> None:
        """Take one more emitted token, the end of `last`: step on, or go where more of the last tokens agree."""
        agrees = self.given[self.place : self.place + 1] == last[-1:]
        self.place += 1
        self.run = min(self.run + 1, LONGEST) if agrees else 0
        for length in range(len(last), self.run, -1):
            if ends := self.ends.get(last[-length:]):
                self.place, self.run = _nearest(ends, self.place), length
                return


@dataclass(frozen=True)
class Given:
    """The given text from the place that the emitted text has reached.

    It begins at its first token. After a divergence, as long as no given token recurs, the text is taken to be replaced
    token for token; then it is the nearest place where the most of the last tokens agree, later ones before earlier.
    """

    def start(self) -> Memory:
        return Memory()

    def guess(self, request: Request) -> Guess:
        memory: Memory = request.memory
        memory.read(request)
        return Guess(memory.given[memory.place : memory.place + request.width], support(memory.run))


def _ends(given: tuple[int, ...]) -> dict[tuple[int, ...], list[int]]:
    ends: dict[tuple[int, ...], list[int]] = {}
    for end in range(1, len(given) + 1):
        for length in range(1, min(LONGEST, end) + 1):
            ends.setdefault(given[end - length : end], []).append(end)
    return ends


def _nearest(places: list[int], place: int) -> int:
    """The one of the ordered places that is nearest to `place`; of two as near, the later."""
    after = bisect_left(places, place)
    return min(places[max(after - 1, 0) : after + 1], key=lambda other: (abs(other - place), -other))
