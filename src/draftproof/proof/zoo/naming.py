"""Which known mechanism gives the very law that was observed.

A law that is wrong is compared with the law of every planted fault on the same fixtures. One fixture cannot always name
the cause, since different faults can have one law on it; so a suspect must fit on all of them.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from time import monotonic
from typing import NamedTuple

from draftproof.proof.campaign import Word
from draftproof.proof.decoders.judge import Finding, cost
from draftproof.proof.foreign import Budget, ProgramLaw
from draftproof.proof.laws import compare
from draftproof.proof.zoo.member import Member, faults
from draftproof.proof.zoo.subject import explored, law_of


class Suspect(NamedTuple):
    """A planted fault that gives the observed law.

    Attributes:
        distance: the largest total variation between its law and the observed one, over all fixtures.
    """

    member: Member
    distance: Fraction


class Compared(NamedTuple):
    """What came of a comparison with the planted faults.

    Attributes:
        suspects: those whose law is the observed one on every fixture.
        complete: False if time ran out; then none is named, since any of them may fail to fit yet.
    """

    suspects: tuple[Suspect, ...] = ()
    complete: bool = True


Told = Callable[[int, str], None]
"""(faults that are still compared, name of the fixture) -> nothing; called before each fixture."""


def suspects(findings: Sequence[Finding]) -> list[Suspect]:
    """The planted faults whose law is the observed one on every fixture, up to what rounding explains."""
    return list(compared(findings).suspects)


def compared(findings: Sequence[Finding], *, until: float = float("inf"), told: Told = lambda left, fixture: None) -> Compared:
    """The same, as far as there is time.

    Args:
        findings: complete ones. Those that failed tell most faults apart, and of them the cheapest come first; a fault that
            does not fit is not asked again.
        until: when to stop, as `monotonic` tells time.
        told: is told how far it is.
    """
    left = [Suspect(member, Fraction(0)) for member in faults()]
    for finding in sorted(findings, key=_cost):
        told(len(left), finding.fixture.name)
        fitting = []
        for suspect in left:
            gap = _gap(suspect.member, finding, until)
            if monotonic() > until:
                return Compared(complete=False)
            if gap is not None:
                fitting.append(Suspect(suspect.member, max(suspect.distance, gap)))
        left = fitting
        if not left:
            break
    return Compared(tuple(left))


def _cost(finding: Finding) -> tuple[bool, int, int]:
    return finding.word is not Word.FAIL, cost(finding.fixture), finding.observed.progress.replays


def _gap(member: Member, finding: Finding, until: float) -> Fraction | None:
    """How far its law is from the observed one; None if further than rounding explains, or if it has none."""
    law = _law(member, finding, until)
    if law is None:
        return None
    gap = compare(law.law, finding.observed.law).total_variation
    return gap if gap <= finding.explained + law.rounding else None


def _law(member: Member, finding: Finding, until: float) -> ProgramLaw | None:
    """Its law on the fixture; a part of it if time runs out, None if it cannot run there. Only whole laws are kept."""
    if until == float("inf"):
        return law_of(member.decoder, finding.fixture)
    left = until - monotonic()
    return explored(member.decoder, finding.fixture, Budget(seconds=left)) if left > 0 else None
