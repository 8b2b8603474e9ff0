"""Drafted tokens whose fate is told, with what any exact rule, and the named one, keeps of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from draftproof.audit.acceptance.drafting import Drafting
from draftproof.audit.engines.protocol import Answer
from draftproof.audit.law.rows import Rows
from draftproof.shapes import Shaped


@dataclass(frozen=True)
class Slots:
    """All drafted tokens that were reached, and none behind a refused one or the end of a text.

    Attributes:
        position: of each in its draft, from 1.
        kept: 1.0 if it was, else 0.0.
        ceilings: the most that an exact rule keeps.
        predicted: what the named rule keeps; NaN without one.
        histogram: rounds by the number of accepted tokens.
    """

    position: Shaped[np.ndarray, " slots"]
    kept: Shaped[np.ndarray, " slots"]
    ceilings: Shaped[np.ndarray, " slots"]
    predicted: Shaped[np.ndarray, " slots"]
    histogram: tuple[int, ...]

    @property
    def positions(self) -> list[int]:
        return list(range(1, int(self.position.max(initial=0)) + 1))

    def at(self, position: int) -> Shaped[np.ndarray, " some"]:
        """The slots of one position."""
        return np.flatnonzero(self.position == position)

    @property
    def values(self) -> dict[str, Any]:
        """For pictures: by position of a draft, which shares were kept, are predicted and are possible; and rounds by tokens accepted."""
        parts = [self.at(position) for position in self.positions]
        shares = {"observed": self.kept, "predicted": self.predicted, "ceiling": self.ceilings}
        known = {name: chances for name, chances in shares.items() if not np.isnan(chances).any()}
        return {
            "position": self.positions,
            **{name: [float(chances[part].mean()) for part in parts] for name, chances in known.items()},
            "drafts": [len(part) for part in parts],
            "histogram": list(self.histogram),
        }


def slots(answers: Sequence[Answer], rows: Sequence[Rows], drafting: Drafting) -> Slots:
    """The drafted tokens of all rounds that are told. What was kept is what was emitted, so the laws at each of them are known."""
    found: list[tuple[int, bool, float, float]] = []
    histogram: Counter[int] = Counter()
    for answer, each in zip(answers, rows, strict=True):
        ceilings, predicted = drafting.ceilings(each), drafting.predicted(each)
        start = 0
        for drafted, accepted in answer.rounds or ():
            histogram[accepted] += 1
            reached = min(drafted, accepted + 1, len(answer.tokens) - start)
            found += [
                (depth + 1, depth < accepted, float(ceilings[start + depth]), float(predicted[start + depth])) for depth in range(reached)
            ]
            start += accepted + 1
    table = np.array(found, float).reshape(len(found), 4)
    most = max(histogram, default=-1)
    position, kept, ceiling, chance = table.T
    return Slots(position, kept, ceiling, chance, tuple(histogram[number] for number in range(most + 1)))
