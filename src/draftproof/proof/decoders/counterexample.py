"""The smallest request on which a decoder is wrong, with numbers that can be followed by hand."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Any, NamedTuple

from draftproof.errors import BadRequest, Untracked
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.fixture import Fixture, Row, Table
from draftproof.proof.decoders.judge import Finding, Subject, judge
from draftproof.proof.explore import Decision
from draftproof.proof.foreign import Budget, Progress


def sixteenths(*values: int) -> Row:
    """A law in sixteenths."""
    return tuple(Fraction(value, 16) for value in values)


SIMPLE = {
    "two tokens": (sixteenths(12, 4), sixteenths(8, 8)),
    "three tokens": (sixteenths(7, 5, 4), sixteenths(4, 4, 8)),
}
"""Target and draft of which a right verifier computes nothing but small multiples of powers of 2, which floats hold exactly.
The second pair has a residual of two tokens, 3/4 and 1/4."""

SMALL = Budget(replays=20_000, seconds=10)
"""For one fixture that is tried; a small one takes less."""


class Place(NamedTuple):
    """Where one token of an output was emitted: the text before it, and what both models say there."""

    context: tuple[int, ...]
    target: Row
    draft: Row


@dataclass(frozen=True)
class Counterexample:
    """One output whose probability is wrong.

    Attributes:
        finding: on the smallest fixture that was found to fail.
        output: whose probability is furthest off.
        observed, expected: its two probabilities.
    """

    finding: Finding
    output: Any
    observed: Fraction
    expected: Fraction

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The likeliest way to the output: the draft's draws and the function's own, in order; none if it never comes."""
        return self.finding.observed.likeliest.get(self.output, ())

    @property
    def places(self) -> list[Place]:
        """The places at which the tokens of the output were emitted."""
        fixture = self.finding.fixture
        texts = zip(fixture.prompts, self.output if fixture.beside else [self.output], strict=False)
        return [place for prompt, text in texts for place in _places(fixture, prompt, text)]


def smallest(
    subject: Subject,
    findings: Sequence[Finding],
    *,
    until: float = float("inf"),
    progress: Callable[[Fixture, Progress], None] | None = None,
) -> Counterexample:
    """The counterexample on the smallest fixture that fails; at worst on the first of those that are known to fail.

    Args:
        until: when to look no further, as `monotonic` tells time.
    """
    failing = [finding for finding in findings if finding.word is Word.FAIL]
    known = min(failing, key=lambda finding: _size(finding.fixture))
    for fixture in sorted(_smaller(known.fixture), key=_size):
        seconds = min(SMALL.seconds, until - monotonic())
        finding = _tried(subject, fixture, Budget(SMALL.replays, seconds), progress) if seconds > 0 else None
        if finding and finding.word is Word.FAIL:
            return _of(finding)
    return _of(known)


def _tried(subject: Subject, fixture: Fixture, budget: Budget, progress: Callable[[Fixture, Progress], None] | None) -> Finding | None:
    """The finding on a fixture; None if the subject cannot be explored there."""
    try:
        return next(judge(subject, [fixture], budget=budget, progress=progress))
    except (BadRequest, Untracked):
        return None


def _of(finding: Finding) -> Counterexample:
    _, output, observed, expected = finding.difference
    return Counterexample(finding, output, observed, expected)


def _size(fixture: Fixture) -> tuple[int, int, int, bool]:
    return fixture.length, max(fixture.widths), fixture.vocab, not fixture.name.startswith("simple")


def _smaller(fixture: Fixture) -> Iterator[Fixture]:
    """The same request for shorter texts, with shorter drafts, and of simpler tables."""
    asks_of_tokens = bool(fixture.process or fixture.ends or fixture.beside)
    for length in range(1, fixture.length + 1):
        for widths in dict.fromkeys([(1,), fixture.widths]):
            if max(widths) > max(fixture.widths):
                continue
            if (length, widths) != (fixture.length, fixture.widths):
                yield replace(fixture, name=f"{fixture.name}, length {length}", length=length, widths=widths)
            for name, (target, draft) in SIMPLE.items():
                if len(target) == fixture.vocab or not asks_of_tokens:
                    yield replace(
                        fixture,
                        name=f"simple rows of {name}, length {length}",
                        target=Table.constant(target),
                        draft=Table.constant(draft),
                        length=length,
                        widths=widths,
                    )


def _places(fixture: Fixture, prompt: tuple[int, ...], text: Sequence[Any]) -> Iterator[Place]:
    emitted: list[int] = []
    for item in text[: fixture.length]:
        context = (*prompt, *emitted)
        yield Place(
            context, fixture.processed(fixture.target.law(context), emitted), fixture.processed(fixture.draft.law(context), emitted)
        )
        emitted.append(item[0] if fixture.probabilities else item)
