"""Whole decode loops that somebody else wrote, run on models that are tables."""

from collections.abc import Callable, Sequence
from typing import Any

from draftproof.errors import BadRequest
from draftproof.proof.decoders.engagement import Engagement
from draftproof.proof.decoders.fixture import Fixture, Table
from draftproof.proof.decoders.kinds import Kind
from draftproof.proof.decoders.returned import called, tokens_of
from draftproof.proof.foreign import Budget, ProgramLaw, Progress, explore_program

MOST_TOKENS = 1_000
"""A text longer than this is taken for a loop that does not end where it should."""


class Model:
    """`model(tokens)` gives a row for each token: row i is the law after `tokens[: i + 1]`. It keeps nothing between calls.

    Attributes:
        calls: how often it was asked.
    """

    def __init__(self, fixture: Fixture, table: Table, kind: Kind) -> None:
        self._fixture, self._table, self._kind = fixture, table, kind
        self.calls = 0

    def __call__(self, tokens: Sequence[int]) -> Any:
        vocab = self._fixture.vocab
        text = tokens_of(tokens, vocab, least=1, most=MOST_TOKENS)
        self.calls += 1
        start = len(self._fixture.prompt)
        padded = [0, *text]  # a table wants two tokens; only a row within the prompt can see this one
        rows = [self._fixture.processed(self._table.law(padded[: end + 1]), text[start:end]) for end in range(1, len(text) + 1)]
        return self._kind.numbers(rows, (len(rows), vocab))


def explorer(
    function: Callable[..., Any], kind: Kind, engagement: Engagement
) -> Callable[[Fixture, Budget, Callable[[Progress], None] | None], ProgramLaw]:
    """How f(target, draft, prompt, length) -> emitted tokens is explored; it gets `ends` too if it has such a parameter.

    What it does with drafts is seen from outside: a call of the draft is one drafted token, and a text that took fewer
    calls of the target than it has tokens has kept the others of its draft.
    """
    takes_ends = "ends" in _parameters(function)

    def explore(fixture: Fixture, budget: Budget, progress: Callable[[Progress], None] | None) -> ProgramLaw:
        if fixture.beside or fixture.probabilities or (fixture.ends and not takes_ends):
            raise BadRequest(f"a decode loop of one text cannot be asked for {fixture.name!r}; choose another family")

        def program() -> tuple[int, ...]:
            target, draft = Model(fixture, fixture.target, kind), Model(fixture, fixture.draft, kind)
            named = {"ends": fixture.ends} if takes_ends else {}
            returned = called(function, target, draft, list(fixture.prompt), fixture.length, **named)
            emitted = tokens_of(returned, fixture.vocab, least=0, most=MOST_TOKENS)
            kept = max(len(emitted) - target.calls, 0)
            engagement.drafted += draft.calls
            engagement.kept += kept
            engagement.refused += draft.calls > kept
            engagement.later_rounds += max(target.calls - 1, 0)
            return tuple(emitted)

        law = explore_program(program, budget=budget, progress=progress)
        if law.law and all(text[: len(fixture.prompt)] == fixture.prompt and len(text) > fixture.length for text in law.law):
            raise BadRequest("every text that the function returned begins with the prompt; return the emitted tokens alone")
        return law

    return explore


def _parameters(function: Callable[..., Any]) -> Sequence[str]:
    import inspect

    return list(inspect.signature(function).parameters)
