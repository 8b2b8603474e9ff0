"""A speculative decoder in parts, and a request as it stands between two rounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from draftproof.proof.decoders.fixture import Fixture, Row


@dataclass
class Text:
    """One request.

    Attributes:
        prompt: its tokens.
        emitted: the tokens of the answer so far.
        probabilities: of each emitted token, as it is reported.
        cache: the tokens that the target has read and remembers; between rounds the context minus its last token.
        rounds: done so far.
        ended: whether the answer is complete.
        notes: whatever else a part remembers from round to round.
    """

    prompt: tuple[int, ...]
    cache: list[int]
    emitted: list[int] = field(default_factory=list)
    probabilities: list[Fraction] = field(default_factory=list)
    rounds: int = 0
    ended: bool = False
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def context(self) -> list[int]:
        return [*self.prompt, *self.emitted]


class Proposal(NamedTuple):
    """Drafted tokens, and the law each is said to have been drawn from."""

    tokens: list[int]
    laws: list[Row]


class Verdict(NamedTuple):
    """How many drafted tokens are kept, and the token that follows them."""

    accepted: int
    token: int


class Decoder(NamedTuple):
    """A decoder in parts.

    Attributes:
        propose: (fixture, text) -> Proposal.
        read: (fixture, text, proposal) -> the target's rows, one before each drafted token and one after the last.
        verify: (rows, proposal) -> Verdict.
        commit: (fixture, text, proposal, rows, verdict); changes the text.
        round: (decoder, fixture, texts); a round of at least one text that has not ended.
    """

    propose: Callable[[Fixture, Text], Proposal]
    read: Callable[[Fixture, Text, Proposal], Sequence[Row]]
    verify: Callable[[Sequence[Row], Proposal], Verdict]
    commit: Callable[[Fixture, Text, Proposal, Sequence[Row], Verdict], None]
    round: Callable[["Decoder", Fixture, list[Text]], None]

    def __call__(self, fixture: Fixture) -> tuple[Any, ...]:
        """The texts of all requests, as `Fixture.outcome` shapes them."""
        texts = start(fixture)
        while not all(text.ended for text in texts):
            self.round(self, fixture, texts)
        return outcome(fixture, texts)


def start(fixture: Fixture) -> list[Text]:
    """Every request before its first round."""
    return [Text(prompt, list(prompt[:-1])) for prompt in fixture.prompts]


def outcome(fixture: Fixture, texts: Sequence[Text]) -> tuple[Any, ...]:
    """What a decoder returns."""
    if fixture.probabilities:
        return fixture.outcome([list(zip(text.emitted, text.probabilities, strict=True)) for text in texts])
    return fixture.outcome([text.emitted for text in texts])
