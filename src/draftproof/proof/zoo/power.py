"""Which standard fixture sees which planted fault, and how clearly.

A fixture on which a fault has distance 0 cannot see it: a decoder with that fault passes there. So a family is only as
good as its row of this table, and a verdict is worth the families it rests on.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from draftproof.proof.decoders.fixture import Fixture, expected_law
from draftproof.proof.decoders.standard import FAMILIES, family
from draftproof.proof.laws import compare
from draftproof.proof.zoo.member import Member, faults
from draftproof.proof.zoo.subject import law_of


class Sight(NamedTuple):
    """How far a fault is from the expected law on the fixtures of a family.

    Attributes:
        distances: the total variation on each fixture; None where the decoder cannot run.
    """

    member: Member
    family: str
    distances: dict[str, Fraction | None]

    @property
    def largest(self) -> Fraction | None:
        """On the fixture that shows the fault best; 0 if the fault hides from the family; None if it runs on no fixture."""
        return max(self._known, default=None)

    @property
    def smallest(self) -> Fraction | None:
        """On the fixture that shows the fault least, of those that show it; None if the fault hides from the family."""
        return min((distance for distance in self._known if distance), default=None)

    @property
    def _known(self) -> list[Fraction]:
        return [distance for distance in self.distances.values() if distance is not None]


def power(members: Iterable[Member] | None = None, families: Sequence[str] = tuple(FAMILIES)) -> list[Sight]:
    """Every fault on every family of standard fixtures.

    Args:
        members: the faults; all if None.
    """
    return [
        Sight(member, name, {fixture.name: distance(member, fixture) for fixture in family(name)})
        for member in (faults() if members is None else members)
        for name in families
    ]


def distance(member: Member, fixture: Fixture) -> Fraction | None:
    """The total variation between what a fault returns and what it should; None if it cannot run."""
    law = law_of(member.decoder, fixture)
    return None if law is None else compare(law.law, expected_law(fixture)).total_variation


def power_lines(sights: Sequence[Sight]) -> list[str]:
    """The table as text: a row a fault, a column a family, and in it the largest distance; blank where the decoder cannot run."""
    families = list(dict.fromkeys(sight.family for sight in sights))
    rows = {sight.member.name: sight.member.mechanism for sight in sights}
    cells = {(sight.member.name, sight.family): _cell(sight.largest) for sight in sights}
    wide = max(map(len, rows))
    lines = [f"{'fault':{wide}}      " + "".join(f"{name:>14}" for name in families)]
    for name, mechanism in rows.items():
        lines.append(f"{name:{wide}}  {mechanism:4}" + "".join(f"{cells[name, column]:>14}" for column in families))
    return [line.rstrip() for line in lines]


def _cell(largest: Fraction | None) -> str:
    return "" if largest is None else f"{float(largest):.3f}" if largest else "0"
