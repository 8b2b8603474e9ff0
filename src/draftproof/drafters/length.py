"""How deep each row of a batch drafts: as deep as emits the most tokens a millisecond.

It is settled before anything is drawn, from survival and cost alone. Both may depend on tokens of earlier rounds, dropped ones
included: a round of independent draws is exact given all that came before it, and coupled text is the same with any draft.
They never depend on a drawn token of the round to come.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from draftproof.models.cost import PassCost


class Candidate(NamedTuple):
    """One way to draft for a row.

    Attributes:
        survival: the probabilities that its first 1, 2, ... tokens all are kept; as many as it can draft.
        drawn: True if a draft model runs a pass for each token.
    """

    survival: Sequence[float]
    drawn: bool = False


class Choice(NamedTuple):
    """What a row drafts: `width` tokens of its candidate number `candidate`; nothing if the width is 0."""

    candidate: int
    width: int


def choose(batch: Sequence[Sequence[Candidate]], cost: PassCost, draft_cost: PassCost | None = None, *, before: int = 0) -> list[Choice]:
    """What each row drafts, chosen row after row: with the rows before it as they were chosen, those after it drafting nothing.

    Of equally good drafts the shortest is taken, of equally short ones the first.

    Args:
        batch: the candidates of each row.
        cost: of the target's pass.
        draft_cost: of a pass of the draft model, if any candidate is drawn. What it is fed to catch up is not counted.
        before: rows of the target's last pass; 0 if there was none.
    """
    plain = len(batch) * cost.least_rows
    load = Load(cost, draft_cost, tokens=len(batch), rows=plain, read=len(batch), at_hand=frozenset({cost.step(before), cost.step(plain)}))
    return [load.take(candidates) for candidates in batch]


@dataclass
class Load:
    """What the rows of a batch expect to emit in a round, and what it takes.

    Attributes:
        tokens: expected to be emitted.
        rows: of the target's pass.
        read: of these, the rows whose logits are asked for.
        at_hand: the steps of the last pass and of one without drafts. To leave them costs a change; the way back to a pass without
            drafts is paid with the way there.
        drawing: how many rows take part in each pass of the draft model.
        draft_ms: what these passes cost.
    """

    cost: PassCost
    draft_cost: PassCost | None
    tokens: float
    rows: int
    read: int
    at_hand: frozenset[int]
    drawing: list[int] = field(default_factory=list)
    draft_ms: float = 0.0

    def take(self, candidates: Sequence[Candidate]) -> Choice:
        """Add the draft of one more row that makes the most tokens a millisecond."""
        deepest = max((len(candidate.survival) for candidate in candidates), default=0)
        pass_ms = [self._pass_ms(width) + self.draft_ms for width in range(deepest + 1)]
        choice, best = Choice(0, 0), self.tokens / pass_ms[0]
        for number, candidate in enumerate(candidates):
            tokens, draft_ms = self.tokens, 0.0
            for width, survival in enumerate(candidate.survival, start=1):
                tokens += survival
                if candidate.drawn:
                    draft_ms += self._more_ms(width - 1)
                rate = tokens / (pass_ms[width] + draft_ms)
                if rate > best or (rate == best and width < choice.width):
                    choice, best = Choice(number, width), rate
        if choice.width:
            self._add(candidates[choice.candidate], choice.width)
        return choice

    def _add(self, candidate: Candidate, width: int) -> None:
        self.tokens += sum(candidate.survival[:width])
        self.rows += self._more_rows(width)
        self.read += width
        for depth in range(width) if candidate.drawn else ():
            self.draft_ms += self._more_ms(depth)
            self.drawing[depth : depth + 1] = [self._drawing_at(depth) + 1]

    def _pass_ms(self, width: int) -> float:
        """The target's pass if one more row drafts so much."""
        rows = self.rows + self._more_rows(width)
        leaving_ms = 0.0 if self.cost.step(rows) in self.at_hand else 2 * self.cost.change_ms
        return self.cost.total_ms(rows, self.read + width) + leaving_ms

    def _more_rows(self, width: int) -> int:
        """The rows that a draft of a row adds to those it takes anyway."""
        return max(1 + width - self.cost.least_rows, 0)

    def _more_ms(self, depth: int) -> float:
        """What one more row adds to a pass of the draft model."""
        assert self.draft_cost is not None
        others = self._drawing_at(depth)
        return self.draft_cost.ms([1] * (others + 1)) - (self.draft_cost.ms([1] * others) if others else 0.0)

    def _drawing_at(self, depth: int) -> int:
        return self.drawing[depth] if depth < len(self.drawing) else 0
