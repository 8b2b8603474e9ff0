"""Suffix drafts: what most often followed the longest suffix of the text that occurred before (after SuffixDecoding,
arXiv 2411.04975, whose depth and least probability are the defaults here)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from draftproof.drafters.automaton import SEPARATOR, Automaton
from draftproof.drafters.guess import NO_GUESS, Guess, first_new, support
from draftproof.drafters.protocol import Request
from draftproof.errors import BadRequest


@dataclass
class Memory:
    """The automaton of a context."""

    automaton: Automaton
    seen: tuple[int, ...] = ()

    def read(self, context: tuple[int, ...]) -> None:
        """Append what the context adds to what was seen."""
        start = first_new(self.seen, context)
        if not start and self.seen:
            self.automaton = Automaton(self.automaton.order)
        for token in context[start:]:
            self.automaton.append(token)
        self.seen = context


@dataclass(frozen=True)
class Suffix:
    """Follows the most frequent continuation, of equally frequent ones the last that occurred, while the path is likely.

    At every step the longest suffix of text and guess that was ever followed by a token decides. The share of the token
    among all that followed is its probability; the guess ends before their product falls below `least_probability`.

    Attributes:
        depth: how many tokens, the guessed one included, are looked at.
        least_probability: of the guessed path.
        past: other texts to learn from, beside the request's own. By default none. Texts of other requests are a matter
            of privacy, since what they hold shows in the timing, and of reproducibility: unless rounds are coupled, the
            text of a seed depends on what is drafted.

    Raises:
        BadRequest: a depth below 2, or a probability outside (0, 1].
    """

    depth: int = 24
    least_probability: float = 0.1
    past: Sequence[Sequence[int]] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.depth < 2 or not 0 < self.least_probability <= 1:
            raise BadRequest(
                f"a depth of {self.depth} and a least probability of {self.least_probability}: give at least 2, and more than 0 up to 1"
            )

    def start(self) -> Memory:
        return Memory(Automaton(self.depth))

    def guess(self, request: Request) -> Guess:
        request.memory.read(request.context)
        own = request.memory.automaton
        state, length = self._found(own, own.tail, own.tail_length)
        past_state, past_length = self._find_past(request.context) if self.past else (0, 0)
        if past_length > length:
            return Guess(self._followed(self._past, past_state, past_length, request.width), support(past_length))
        return Guess(self._followed(own, state, length, request.width), support(length)) if length else NO_GUESS

    @cached_property
    def _past(self) -> Automaton:
        """Made once and only read afterwards."""
        automaton = Automaton(self.depth)
        for text in self.past:
            for token in (*text, SEPARATOR):
                automaton.append(token)
        return automaton

    def _found(self, automaton: Automaton, state: int, length: int) -> tuple[int, int]:
        """Of the sequence of `length` tokens in `state`: the longest suffix that is followed by a token, and its length."""
        length = min(length, self.depth - 1)
        state = automaton.shortened(state, length)
        while state and not any(token != SEPARATOR for token in automaton.nexts[state]):
            state = automaton.links[state]
            length = automaton.lengths[state]
        return state, length

    def _find_past(self, context: tuple[int, ...]) -> tuple[int, int]:
        """The longest suffix of the context among the past texts."""
        automaton, state, length = self._past, 0, 0
        for token in context[-self.depth :]:
            while state and token not in automaton.nexts[state]:
                state = automaton.links[state]
                length = automaton.lengths[state]
            if token in automaton.nexts[state]:
                state, length = automaton.nexts[state][token], length + 1
        return self._found(automaton, state, length)

    def _followed(self, automaton: Automaton, state: int, length: int, width: int) -> list[int]:
        tokens: list[int] = []
        probability = 1.0
        while state and len(tokens) < width:
            followers = automaton.followers(state)
            token = max(followers, key=lambda token: (automaton.counts[followers[token]], automaton.recent[followers[token]]))
            probability *= automaton.counts[followers[token]] / sum(automaton.counts[child] for child in followers.values())
            if probability < self.least_probability:
                break
            tokens.append(token)
            state, length = self._found(automaton, followers[token], length + 1)
        return tokens
