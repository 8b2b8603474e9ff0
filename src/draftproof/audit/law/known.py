"""The planted faults as suspects: on a fixture of the prover the law of each is known, so a bet can be made on that very law.

A call of a decoder on a fixture is one text: the tokens of its requests, one request after another. Where a fixture has ends, a request is
followed by a mark, one token beyond the vocabulary, so that to stop too late or too soon is a wrong token like any other.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.audit.law.rows import Rows, Text
from draftproof.audit.law.suspects import Suspect
from draftproof.proof.decoders.fixture import Fixture, Row, Table, expected_law
from draftproof.proof.zoo.member import Member, faults
from draftproof.proof.zoo.subject import law_of
from draftproof.shapes import Shaped

Law = Mapping[tuple[int, ...], Fraction]
"""The probability of every text."""


def known(fixture: Fixture, members: Iterable[Member] | None = None) -> tuple[Suspect, ...]:
    """A suspect for every law that faults have on a fixture; faults of one law are one suspect, and those of the right law are none.

    Args:
        members: the faults; all if None.
    """
    right, found = expected_text_law(fixture), dict[frozenset, list[Member]]()
    for member in faults() if members is None else members:
        law = text_law(fixture, member)
        if law is not None and law != right:
            found.setdefault(frozenset(law.items()), []).append(member)
    return tuple(_suspect(fixture, dict(law), some) for law, some in found.items())


def _suspect(fixture: Fixture, law: Law, members: Sequence[Member]) -> Suspect:
    names = ", ".join(member.name for member in members)
    mechanisms = ", ".join(dict.fromkeys(member.mechanism for member in members))
    return Suspect(names, Conditional(fixture, law), mechanisms, f"does what a known fault does ({names}): {members[0].title}")


def text_law(fixture: Fixture, member: Member) -> dict[tuple[int, ...], Fraction] | None:
    """The law of the texts of a member, whatever it reports beside them; None if it cannot run on the fixture."""
    law = law_of(member.decoder, fixture)
    return None if law is None else _of_texts(fixture, law.law)


def expected_text_law(fixture: Fixture) -> dict[tuple[int, ...], Fraction]:
    """The law that the texts should have."""
    return _of_texts(fixture, expected_law(fixture))


def _of_texts(fixture: Fixture, law: Mapping[Any, Fraction]) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for returned, probability in law.items():
        found[text(fixture, returned)] += probability
    return dict(found)


def text(fixture: Fixture, returned: Sequence[Any]) -> tuple[int, ...]:
    """What a decoder returned, as one text."""
    mark = (fixture.vocab,) if fixture.ends else ()
    return tuple(token for request in _requests(fixture, returned) for token in (*request, *mark))


def judged(fixture: Fixture, returned: Sequence[Any]) -> tuple[Text, Rows]:
    """What a decoder returned, with the laws along it."""
    places = [place for pair in zip(fixture.prompts, _requests(fixture, returned), strict=True) for place in _along(fixture, *pair)]
    target, draft = (np.array([place[side] for place in places], np.float64) for side in (0, 1))
    tokens = text(fixture, returned)
    return Text(fixture.prompt, tokens), Rows(np.array(tokens), target, draft)


def _requests(fixture: Fixture, returned: Sequence[Any]) -> list[tuple[int, ...]]:
    requests = returned if fixture.beside else [returned]
    return [tuple(each[0] if fixture.probabilities else each for each in request) for request in requests]


def _along(fixture: Fixture, prompt: tuple[int, ...], tokens: tuple[int, ...]) -> Iterator[tuple[Row, Row]]:
    """The rows of target and draft at every place of a request, and at its mark."""
    over = (*[Fraction(0)] * fixture.vocab, Fraction(1))

    def row(table: Table, place: int) -> Row:
        law = fixture.processed(table.law((*prompt, *tokens[:place])), tokens[:place])
        return (*law, Fraction(0)) if fixture.ends else law

    for place in range(len(tokens) + bool(fixture.ends)):
        ended = place == fixture.length or not fixture.ends.isdisjoint(tokens[:place])
        yield (over, over) if ended else (row(fixture.target, place), row(fixture.draft, place))


class Conditional:
    """The law of each token of a text given those before it, from the law of whole texts. After what never comes it is the target's."""

    def __init__(self, fixture: Fixture, law: Law) -> None:
        self._vocab = fixture.vocab + bool(fixture.ends)
        self._known: dict[tuple[int, ...], np.ndarray] = {}
        self._masses: dict[tuple[int, ...], np.ndarray] = defaultdict(lambda: np.zeros(self._vocab))
        for tokens, probability in law.items():
            for place, token in enumerate(tokens):
                self._masses[tokens[:place]][token] += float(probability)

    def __call__(self, rows: Rows) -> Shaped[np.ndarray, "tokens vocab"]:
        tokens = tuple(rows.tokens.tolist())
        if tokens not in self._known:
            self._known[tokens] = np.array([self._after(tokens[:place], rows.target[place]) for place in range(len(tokens))])
        return self._known[tokens]

    def _after(self, before: tuple[int, ...], otherwise: np.ndarray) -> np.ndarray:
        masses = self._masses.get(before)
        return otherwise if masses is None else masses / masses.sum()
