"""The prover on trial: each planted fault must be found and named, each control acquitted."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from time import monotonic
from typing import NamedTuple

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.decoders.judge import conclude, judge
from draftproof.proof.decoders.standard import family
from draftproof.proof.executor import each
from draftproof.proof.zoo.member import Member, controls, faults
from draftproof.proof.zoo.naming import suspects
from draftproof.proof.zoo.subject import subject

SHORT = 2
"""Tokens of the texts on which suspects are sifted first: a tenth of the runs, and most faults are told apart."""

TOGETHER = 6
"""Members that one worker takes at a time; they share fixtures, and so the laws of the faults on them."""


class Trial(NamedTuple):
    """What became of one member.

    Attributes:
        name: of the member.
        mechanism: of a fault; empty for a control.
        word: the verdict on it.
        fixture, distance: where it is furthest from its law, and how far.
        named: the faults that give its laws; empty for a control.
        runs, seconds: that it took, naming included in the time.
    """

    name: str
    mechanism: str
    word: Word
    fixture: str
    distance: Fraction
    named: tuple[str, ...]
    runs: int
    seconds: float

    @property
    def right(self) -> bool:
        """Whether a fault was found and is among the named, or a control was acquitted."""
        return self.word is Word.FAIL and self.name in self.named if self.mechanism else self.word is Word.PASS


def members(names: Sequence[str] = ()) -> list[Member]:
    """The members of these names, all of them if none is given.

    Raises:
        BadRequest: there is no such member.
    """
    known = {member.name: member for member in (*faults(), *controls())}
    for name in names:
        if name not in known:
            raise BadRequest(f"there is no {name!r} in the zoo; `draftproof zoo` lists all members")
    return [known[name] for name in dict.fromkeys(names)] or list(known.values())


def tried(member: Member) -> Trial:
    """Prove one member on its fixtures, and name its law if it is wrong."""
    start, fixtures = monotonic(), family(member.fixtures)
    decoder = subject(member.name, member.decoder)
    findings = list(judge(decoder, fixtures))
    worst = max(findings, key=lambda finding: finding.distance.lowest)
    word = conclude(findings).word
    named: tuple[str, ...] = ()
    if word is Word.FAIL and member.mechanism:
        named = tuple(suspect.member.name for suspect in suspects([*judge(decoder, _shortened(fixtures)), *findings]))
    runs = sum(finding.observed.progress.replays for finding in findings)
    return Trial(member.name, member.mechanism, word, worst.fixture.name, worst.distance.lowest, named, runs, monotonic() - start)


def try_all(wanted: Sequence[Member], *, workers: int) -> Iterator[Trial]:
    """A trial for each member as it is done, in any order.

    Args:
        workers: processes; with one, all is done in this one.
    """
    for some in each(_try_named, [[member.name for member in some] for some in _groups(wanted)], workers=workers):
        yield from some


def _try_named(names: Sequence[str]) -> list[Trial]:
    return [tried(member) for member in members(names)]


def _groups(wanted: Iterable[Member]) -> Iterator[list[Member]]:
    for _, some in groupby(sorted(wanted, key=lambda member: member.fixtures), key=lambda member: member.fixtures):
        listed = list(some)
        yield from (listed[start : start + TOGETHER] for start in range(0, len(listed), TOGETHER))


def _shortened(fixtures: Sequence[Fixture]) -> list[Fixture]:
    """The first fixture for texts of one token and of two, if its own are longer."""
    first = fixtures[0]
    return [replace(first, name=f"{first.name}, length {length}", length=length) for length in range(1, min(first.length, SHORT + 1))]
