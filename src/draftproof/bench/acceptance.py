"""How far drafts were kept: token by token, and in the few numbers that formulas ask for."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
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
        deepest = max((each.drafted for each in self.rounds), default=0)
        drafted = _at_least(deepest, (each.drafted for each in self.rounds))
        reached = _at_least(deepest, (min(each.accepted + 1, each.drafted) for each in self.rounds))
        kept = _at_least(deepest, (each.accepted for each in self.rounds))
        return tuple(Position(*each) for each in zip(range(1, deepest + 1), drafted, reached, kept, strict=True))


def _at_least(deepest: int, numbers: Iterable[int]) -> list[int]:
    """How many of the numbers are at least 1, how many at least 2, and so on to `deepest`."""
    counts = Counter(numbers)
    return [*accumulate(counts[number] for number in range(deepest, 0, -1))][::-1]
