"""How far drafts were kept: token by token, and in the few numbers that formulas ask for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from draftproof.bench.contender import Round


class Position(NamedTuple):
    """The k-th tokens of all drafts that had one.

    Attributes:
        place: k, from 1.
        drafted: rounds in which so many tokens were drafted.
        reached: of these, rounds in which the k - 1 tokens before it were kept.
        kept: of these, rounds in which it was kept too.
    """

    place: int
    drafted: int
    reached: int
    kept: int

    @property
    def survival(self) -> float:
        """How often it was kept, given that it was drafted."""
        return self.kept / self.drafted

    @property
    def given(self) -> float | None:
        """How often it was kept, given that those before it were; None if they never were."""
        return self.kept / self.reached if self.reached else None


@dataclass(frozen=True)
class Acceptance:
    """What became of the drafts of some rounds.

    Attributes:
        rounds: of all texts, in any order.
        tokens: emitted in them; a round emits what it accepted and one more, unless the text ended inside its draft.
    """

    rounds: tuple[Round, ...]
    tokens: int

    @property
    def drafted(self) -> int:
        return sum(each.drafted for each in self.rounds)

    @property
    def accepted(self) -> int:
        return sum(each.accepted for each in self.rounds)

    @property
    def width(self) -> float:
        """Tokens drafted in a round, on average over all rounds: g in Leviathan's formula."""
        return self.drafted / len(self.rounds) if self.rounds else 0.0

    @property
    def drafting(self) -> float:
        """The share of the rounds in which anything was drafted."""
        return sum(each.drafted > 0 for each in self.rounds) / len(self.rounds) if self.rounds else 0.0

    @property
    def block_efficiency(self) -> float:
        """Emitted tokens a target pass."""
        return self.tokens / len(self.rounds) if self.rounds else 0.0

    @property
    def share(self) -> float:
        """Of the drafted tokens that were judged, the share that was kept: the likeliest value of a in Leviathan's formula,
        which knows a single one. A round judges what it keeps and, if it refuses anything, one token more.
        """
        judged = self.accepted + sum(each.accepted < each.drafted for each in self.rounds)
        return self.accepted / judged if judged else 0.0

    @property
    def positions(self) -> tuple[Position, ...]:
        """As deep as was ever drafted."""
        return tuple(_position(self.rounds, place) for place in range(1, max((each.drafted for each in self.rounds), default=0) + 1))


def _position(rounds: Sequence[Round], place: int) -> Position:
    deep = [each.accepted for each in rounds if each.drafted >= place]
    return Position(place, len(deep), sum(kept >= place - 1 for kept in deep), sum(kept >= place for kept in deep))
