"""A sound speculative decoder whose parts can be exchanged. A planted fault is this decoder with one part replaced.

It is written as one would write it in a hurry: it consumes random numbers from `random`, keeps a cache by counting, and
verifies token by token. p is a row of the target, q the law a token was drawn from.
"""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from draftproof.proof.decoders.fixture import Fixture, Row, normalised
from draftproof.proof.zoo.decoder import Decoder, Proposal, Text, Verdict

# ---------------------------------------------------------------- draws


def pick(row: Sequence[Fraction], number: Any) -> int:
    """The token at which the cumulative law passes a number in [0, 1)."""
    return next(token for token, edge in enumerate(accumulate(row)) if number < edge)


def sample(row: Sequence[Fraction]) -> int:
    """A token drawn from a law."""
    return pick(row, random.random())


def likeliest(row: Row, count: int) -> list[int]:
    """The tokens of largest probability, the first of equal ones before the others."""
    return sorted(range(len(row)), key=lambda token: -row[token])[:count]


def point(token: int, vocab: int) -> Row:
    """The law that is sure of a token."""
    return tuple(Fraction(int(other == token)) for other in range(vocab))


# ---------------------------------------------------------------- the sound parts


def drawn(
    law: Callable[[Row], Row] = lambda row: row,
    recorded: Callable[[Row], Row] | None = None,
    draw: Callable[[Row], int] = sample,
) -> Callable[[Fixture, Text], Proposal]:
    """A `propose` that draws a chain from the draft model.

    Args:
        law: what becomes of the draft model's row before a token is drawn from it.
        recorded: what of the row is said to have been drawn from; the same, unless the decoder has a fault.
        draw: a token from a law.
    """

    def propose(fixture: Fixture, text: Text) -> Proposal:
        proposal = Proposal([], [])
        for _ in range(width(fixture, text)):
            row = fixture.processed(fixture.draft.law([*text.context, *proposal.tokens]), [*text.emitted, *proposal.tokens])
            proposal.tokens.append(draw(law(row)))
            proposal.laws.append((recorded or law)(row))
        return proposal

    return propose


def candidates(choose: Callable[[Row, int], list[int]]) -> Callable[[Fixture, Text], Proposal]:
    """A `propose` of several tokens for one position: `choose(row, count)` of the draft model's row, which is recorded for each.

    They are read as if they were a chain, so that of the target's rows only the first is theirs.
    """

    def propose(fixture: Fixture, text: Text) -> Proposal:
        row = fixture.processed(fixture.draft.law(text.context), text.emitted)
        tokens = choose(row, width(fixture, text))
        return Proposal(tokens, [row] * len(tokens))

    return propose


def width(fixture: Fixture, text: Text) -> int:
    """How many tokens this round drafts."""
    return fixture.widths[text.rounds % len(fixture.widths)]


def so_far(text: Text, proposal: Proposal, place: int) -> list[int]:
    """What is emitted before a place of this round, if the drafts before it are kept."""
    return [*text.emitted, *proposal.tokens[:place]]


def reading(
    looked_back: Callable[[Text, Proposal, int], Sequence[int] | None] = so_far,
) -> Callable[[Fixture, Text, Proposal], list[Row]]:
    """A `read` that feeds the last token and the draft to the target, whose rows are read back from its cache.

    Args:
        looked_back: (text, proposal, place) -> the emitted tokens on which the sampling rule of the row is based; None if
            the row is left without the rule.
    """

    def read(fixture: Fixture, text: Text, proposal: Proposal) -> list[Row]:
        text.cache += [text.context[-1], *proposal.tokens]
        first = len(text.cache) - len(proposal.tokens)
        rows = []
        for place in range(len(proposal.tokens) + 1):
            row, emitted = fixture.target.law(text.cache[: first + place]), looked_back(text, proposal, place)
            rows.append(row if emitted is None else fixture.processed(row, emitted))
        return rows

    return read


read = reading()


def ratio(p: Row, q: Row, token: int) -> bool:
    """Whether a drafted token is accepted: with probability p / q, at most 1."""
    return bool(random.random() * q[token] < p[token])


def residual(p: Row, q: Row) -> Row:
    """The law after a rejection: the positive part of p - q, normalised; p if q is p, when nothing should have been rejected."""
    return p if p == q else normalised([max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)])


def rejection(
    accept: Callable[[Row, Row, int], bool] = ratio,
    fallback: Callable[[Row, Row], Row] = residual,
    draw: Callable[[Row], int] = sample,
) -> Callable[[Sequence[Row], Proposal], Verdict]:
    """A `verify` that accepts token by token and falls back after the first rejection."""

    def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
        for place, (token, law) in enumerate(zip(*proposal, strict=True)):
            if not accept(rows[place], law, token):
                return Verdict(place, draw(fallback(rows[place], law)))
        return Verdict(len(proposal.tokens), draw(rows[-1]))

    return verify


def in_turn(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    """A `verify` of several candidates for one position: each is tested against what those before it left of the target."""
    p = rows[0]
    for token, law in zip(*proposal, strict=True):
        if ratio(p, law, token):
            return Verdict(0, token)
        p = residual(p, law)
    return Verdict(0, sample(p))


def commit(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    """Emit what was kept and the token after it, up to the end of the text, and let the target forget the other drafts."""
    del text.cache[kept(text, proposal, verdict) :]
    for row, token in zip(rows, [*proposal.tokens[: verdict.accepted], verdict.token], strict=False):
        if not text.ended:
            emit(fixture, text, token, row)


def kept(text: Text, proposal: Proposal, verdict: Verdict) -> int:
    """How many tokens the cache has without the drafts that are not kept."""
    return len(text.cache) - len(proposal.tokens) + verdict.accepted


def commit_anew(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
    """As `commit`, but the target reads the text anew, so that its cache is right whatever was emitted."""
    commit(fixture, text, proposal, rows, verdict)
    text.cache = text.context[:-1]


def keeping(remembered: Callable[[Text, Proposal, Verdict], list[int]]) -> Decoder:
    """A decoder whose target remembers something else than the text.

    Args:
        remembered: (text, proposal, verdict) -> what is left of the cache after a round, worked out before the round is emitted.
    """

    def commit_keeping(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
        cache = remembered(text, proposal, verdict)
        commit(fixture, text, proposal, rows, verdict)
        text.cache = cache

    return SOUND._replace(commit=commit_keeping)


def emit(fixture: Fixture, text: Text, token: int, row: Row) -> None:
    """Add a token to the text; the text ends with an end-of-text token or at its full length."""
    text.emitted.append(token)
    text.probabilities.append(row[token])
    text.ended = token in fixture.ends or len(text.emitted) == fixture.length


def verified(decoder: Decoder, fixture: Fixture, text: Text) -> tuple[Proposal, Sequence[Row], Verdict]:
    """A round of a text up to its verdict."""
    proposal = decoder.propose(fixture, text)
    rows = decoder.read(fixture, text, proposal)
    return proposal, rows, decoder.verify(rows, proposal)


def round_of_first(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    """One round of the first text that has not ended. The others wait, since texts that share nothing need no common round."""
    text = next(text for text in texts if not text.ended)
    decoder.commit(fixture, text, *verified(decoder, fixture, text))
    text.rounds += 1


def renewed(make: Callable[[], Decoder]) -> Decoder:
    """A decoder whose parts are made for every round of every text, so that they can use again what was drawn in it."""

    def round_of_new(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
        round_of_first(make(), fixture, texts)

    return SOUND._replace(round=round_of_new)


SOUND = Decoder(drawn(), read, rejection(), commit, round_of_first)


def counting(counted: Callable[[Proposal, Verdict], list[int]]) -> Decoder:
    """A decoder whose sampling rule looks back on what each round is said to have added to the text, not on the text.

    Args:
        counted: (proposal, verdict) -> the tokens that the round is said to have added.
    """

    def commit_counting(fixture: Fixture, text: Text, proposal: Proposal, rows: Sequence[Row], verdict: Verdict) -> None:
        text.notes.setdefault("counted", []).extend(counted(proposal, verdict))
        commit(fixture, text, proposal, rows, verdict)

    return SOUND._replace(
        read=reading(lambda text, proposal, place: [*text.notes.get("counted", ()), *proposal.tokens[:place]]), commit=commit_counting
    )
