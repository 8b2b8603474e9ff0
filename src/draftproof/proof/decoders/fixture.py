"""A request small enough to run a decoder on it under every outcome of its randomness, and the law it should follow.

The laws of target and draft depend on the last two tokens, since a table that ignores its context hides most faults of a
loop. Everything is in fractions. p is a row of the target, q one of the draft.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from draftproof.models.table import TableModel

Row = tuple[Fraction, ...]
"""A law over the vocabulary."""

Process = Callable[[Row, Sequence[int]], Row]
"""A sampling rule: (row, tokens emitted so far) -> the row that is sampled."""


@dataclass(frozen=True)
class Table:
    """`rows[a][b]` is the law after a text that ends with the tokens a, b."""

    rows: tuple[tuple[Row, ...], ...]

    @classmethod
    def of(cls, model: TableModel) -> "Table":
        """The same laws as a table model's."""
        return cls(tuple(tuple(tuple(row) for row in rows) for rows in model.table))

    @classmethod
    def constant(cls, row: Row) -> "Table":
        """One law after every text."""
        return cls(((row,) * len(row),) * len(row))

    @property
    def vocab(self) -> int:
        return len(self.rows)

    def law(self, context: Sequence[int]) -> Row:
        """The law after a text of at least two tokens."""
        return self.rows[context[-2]][context[-1]]


@dataclass(frozen=True)
class Fixture:
    """What a decoder is asked to do.

    Attributes:
        name: of the fixture, in reports.
        target, draft: their laws.
        prompt: at least two tokens.
        beside: prompts of further requests, which are decoded in one batch with this one, or after it.
        length: the most tokens a text may have.
        widths: how many tokens are drafted in the first round, the second and so on, over again from the start.
        ends: tokens that end a text; such a token is its last.
        process: the sampling rule of target and draft.
        probabilities: whether a text comes with the probability of each of its tokens.
    """

    name: str
    target: Table
    draft: Table
    prompt: tuple[int, ...] = (0, 0)
    beside: tuple[tuple[int, ...], ...] = ()
    length: int = 4
    widths: tuple[int, ...] = (2,)
    ends: frozenset[int] = frozenset()
    process: Process | None = None
    probabilities: bool = False

    @property
    def vocab(self) -> int:
        return self.target.vocab

    @property
    def prompts(self) -> tuple[tuple[int, ...], ...]:
        """Of every request."""
        return (self.prompt, *self.beside)

    def processed(self, row: Row, emitted: Sequence[int]) -> Row:
        """The row that is sampled after the tokens emitted so far."""
        return self.process(row, emitted) if self.process else row

    def outcome(self, texts: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
        """What a decoder returns for the texts of its requests: one text, or a tuple of them if there are several."""
        return tuple(map(tuple, texts)) if self.beside else tuple(texts[0])


def normalised(weights: Sequence[Fraction]) -> Row:
    """Weights as a law."""
    total = sum(weights, Fraction(0))
    return tuple(weight / total for weight in weights)


def expected_law(fixture: Fixture) -> dict[tuple[Any, ...], Fraction]:
    """The law of what a decoder should return: the target's own, one token at a time, each request for itself."""
    law: dict[tuple[Any, ...], Fraction] = {}
    singles = [_law_of_text(fixture, prompt) for prompt in fixture.prompts]
    for texts in product(*(single.items() for single in singles)):
        probability = Fraction(1)
        for _, one in texts:
            probability *= one
        outcome = fixture.outcome([text for text, _ in texts])
        law[outcome] = law.get(outcome, Fraction(0)) + probability
    return law


def _law_of_text(fixture: Fixture, prompt: tuple[int, ...]) -> dict[tuple[Any, ...], Fraction]:
    law: dict[tuple[Any, ...], Fraction] = {}

    def extend(tokens: tuple[int, ...], text: tuple[Any, ...], probability: Fraction) -> None:
        if len(tokens) == fixture.length or (tokens and tokens[-1] in fixture.ends):
            law[text] = law.get(text, Fraction(0)) + probability
            return
        row = fixture.processed(fixture.target.law((*prompt, *tokens)), tokens)
        for token, weight in enumerate(row):
            if weight:
                extend((*tokens, token), (*text, (token, weight) if fixture.probabilities else token), probability * weight)

    extend((), (), Fraction(1))
    return law
