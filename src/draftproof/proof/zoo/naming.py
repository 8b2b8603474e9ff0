"""Which known mechanism gives the very law that was observed.

A law that is wrong is compared with the law of every planted fault on the same fixtures. One fixture cannot always name
the cause, since different faults can have one law on it; so a suspect must fit on all of them.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from draftproof.proof.campaign import Word
from draftproof.proof.decoders.judge import Finding
from draftproof.proof.laws import compare
from draftproof.proof.zoo.member import Member, faults
from draftproof.proof.zoo.subject import law_of


class Suspect(NamedTuple):
    """A planted fault that gives the observed law.

    Attributes:
        distance: the largest total variation between its law and the observed one, over all fixtures.
    """

    member: Member
    distance: Fraction


def suspects(findings: Sequence[Finding]) -> list[Suspect]:
    """The planted faults whose law is the observed one on every fixture, up to what rounding explains.

    Args:
        findings: complete ones. Those that failed tell most faults apart, and of them the cheapest come first; a fault that
            does not fit is not asked again.
    """
    left = [Suspect(member, Fraction(0)) for member in faults()]
    for finding in sorted(findings, key=lambda finding: (finding.word is not Word.FAIL, finding.observed.progress.replays)):
        gaps = [(suspect, _gap(suspect.member, finding)) for suspect in left]
        left = [Suspect(suspect.member, max(suspect.distance, gap)) for suspect, gap in gaps if gap is not None]
    return left


def _gap(member: Member, finding: Finding) -> Fraction | None:
    """How far its law is from the observed one; None if further than rounding explains, or if it has none."""
    law = law_of(member.decoder, finding.fixture)
    if law is None:
        return None
    gap = compare(law.law, finding.observed.law).total_variation
    return gap if gap <= finding.explained + law.rounding else None
