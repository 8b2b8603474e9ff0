"""Verifiers that somebody else wrote, each in place of the `verify` of a sound loop.

Drafts are drawn here, from the draft's row, and given to the verifier with the very rows they were drawn from and are
checked against. Whatever else a loop does is right by construction: the prefix that is kept, and what the target reads.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from draftproof.proof.decoders.engagement import Engagement
from draftproof.proof.decoders.fixture import Fixture, Row
from draftproof.proof.zoo.decoder import Decoder, Proposal, Text
from draftproof.proof.zoo.specimen import SOUND, emit, sample


class Checked(NamedTuple):
    """What a verifier made of one draft.

    Attributes:
        accepted: drafted tokens it kept.
        emitted: those, and the token after them.
    """

    accepted: int
    emitted: list[int]


class Round(NamedTuple):
    """What a verifier is given for one text: its context, the target's rows, and the draft."""

    context: list[int]
    rows: Sequence[Row]
    proposal: Proposal


Verifier = Callable[[list[Round], int], list[Checked]]
"""(a round of each text, size of the vocabulary) -> what became of each draft; no draft is empty."""


def decoder(verifier: Verifier, engagement: Engagement) -> Decoder:
    """The sound loop around a verifier; what it meets is counted."""

    def one_round(parts: Decoder, fixture: Fixture, texts: list[Text]) -> None:
        live = [text for text in texts if not text.ended]
        rounds = []
        for text in live:
            proposal = parts.propose(fixture, text)
            rounds.append(Round(text.context, parts.read(fixture, text, proposal), proposal))
        drafted = [each for each in rounds if each.proposal.tokens]
        checked = dict(zip(map(id, drafted), verifier(drafted, fixture.vocab) if drafted else [], strict=True))
        for text, each in zip(live, rounds, strict=True):
            done = checked.get(id(each)) or Checked(0, [sample(each.rows[-1])])
            _count(engagement, text, each.proposal, done)
            _commit(fixture, text, each.rows, done.emitted)

    return SOUND._replace(round=one_round)


def _count(engagement: Engagement, text: Text, proposal: Proposal, done: Checked) -> None:
    engagement.drafted += len(proposal.tokens)
    engagement.kept += done.accepted
    engagement.refused += done.accepted < len(proposal.tokens)
    engagement.later_rounds += bool(text.emitted)
    engagement.strayed += done.emitted[:-1] != proposal.tokens[: len(done.emitted) - 1]


def _commit(fixture: Fixture, text: Text, rows: Sequence[Row], emitted: list[int]) -> None:
    for row, token in zip(rows, emitted, strict=False):
        if not text.ended:
            emit(fixture, text, token, row)
    text.cache[:] = text.context[:-1]
    text.rounds = (text.rounds + 1) % len(fixture.widths)  # all that later rounds ask of it, so that equal states are merged
