"""How deep each row of a batch drafts: as deep as emits the most tokens a millisecond.

It is settled before anything is drawn, from survival and cost alone. Both may depend on tokens of earlier rounds, dropped ones
included: a round of independent draws is exact given all that came before it, and coupled text is the same with any draft.
They never depend on a drawn token of the round to come.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from draftproof.models.cost import PassCost


class Candidate(NamedTuple):
    """One way to draft for a row.

    Attributes:
        survival: the probabilities that its first 1, 2, ... tokens all are kept, so none is above the one before it; as many as it
            can draft.
        drawn: True if a draft model runs a pass for each token.
    """

    survival: Sequence[float]
    drawn: bool = False


class Choice(NamedTuple):
    """What a row drafts: `width` tokens of its candidate number `candidate`; nothing if the width is 0."""

    candidate: int
    width: int


NO_DRAFT = Choice(0, 0)


def choose(batch: Sequence[Sequence[Candidate]], cost: PassCost, draft_cost: PassCost | None = None, *, before: int = 0) -> list[Choice]:
    """What each row drafts.

    First each row takes the candidate that would be best if all rows were like it, and one row alone is done. Then, for every step of
    the staircase that a pass is, tokens are added in the order of their survival, over all rows, while they stay below it, and what was
    best on any of these ways is kept: a step that is too high for one row pays for several. With a draft model the same is done
    without it, and the better of the two is kept.

    Of equally good drafts the shortest is taken, of equally short ones the first.

    Args:
        batch: the candidates of each row.
        cost: of the target's pass.
        draft_cost: of a pass of the draft model, if any candidate is drawn. What it is fed to catch up is not counted.
        before: rows of the target's last pass; 0 if there was none.
    """
    if not batch:
        return []
    plain = len(batch) * cost.least_rows
    costs = _Costs(cost, draft_cost, len(batch), frozenset({cost.step(before), cost.step(plain)}))
    alike = costs.alike(batch)
    if len(batch) == 1:
        return [NO_DRAFT if alike[0].rate <= costs.plain_rate else alike[0].choice]
    rate, choices = costs.deepened(batch, alike)
    if any(candidate.drawn for row in batch for candidate in row):
        guessed_rate, guessed = costs.deepened(batch, costs.alike(batch, drawn=False))
        if guessed_rate >= rate:
            return guessed
    return choices


@dataclass(frozen=True)
class _Costs:
    """What a round takes.

    Attributes:
        batch: the number of rows.
        at_hand: the steps of the last pass and of one without drafts. To leave them costs a change; the way back to a pass without
            drafts is paid with the way there.
    """

    target: PassCost
    draft: PassCost | None
    batch: int
    at_hand: frozenset[int]

    @property
    def plain_rate(self) -> float:
        """Tokens a millisecond without drafts."""
        return self.batch / self.target_ms(self.batch * self.target.least_rows, self.batch)

    def alike(self, batch: Sequence[Sequence[Candidate]], *, drawn: bool = True) -> list["_Best"]:
        """The best draft of each row if all were like it, the shortest of equally good ones; no draft and a rate of 0 where none can be."""
        deepest, n = max((len(candidate.survival) for row in batch for candidate in row), default=0), self.batch
        target_ms = [self.target_ms(n * max(1 + width, self.target.least_rows), n * (1 + width)) for width in range(1, deepest + 1)]
        draw_ms = self.draft.ms([1] * n) if self.draft else 0.0

        def best(row: Sequence[Candidate]) -> _Best:
            rate, choice = 0.0, NO_DRAFT
            for number, candidate in enumerate(row):
                if candidate.drawn and not drawn:
                    continue
                tokens, a_token_ms = 1.0, draw_ms if candidate.drawn else 0.0
                for width, survival in enumerate(candidate.survival, start=1):
                    tokens += survival
                    reached = n * tokens / (target_ms[width - 1] + width * a_token_ms)
                    if reached > rate or (reached == rate and width < choice.width):
                        rate, choice = reached, Choice(number, width)
            return _Best(rate, choice)

        return [best(row) for row in batch]

    def deepened(self, batch: Sequence[Sequence[Candidate]], alike: Sequence["_Best"]) -> tuple[float, list[Choice]]:
        """The most tokens a millisecond that these candidates make, and what drafts them."""
        sources = [best.choice.candidate for best in alike]
        chosen = [(place, row[best.choice.candidate]) for place, (row, best) in enumerate(zip(batch, alike, strict=True)) if best.rate]
        tokens = [_Token(survival, place, depth, row.drawn) for place, row in chosen for depth, survival in enumerate(row.survival)]
        tokens.sort(key=lambda token: (-token.survival, token.depth))
        best, kept = self.plain_rate, list[_Token]()
        for limit in self._limits(tokens):
            load, taken, length = _Load.plain(self), list[_Token](), 0
            for token in tokens:
                if load.fits(token, limit):
                    load.add(token)
                    taken.append(token)
                    if (rate := load.rate()) > best:
                        best, length = rate, len(taken)
            if length:
                kept = taken[:length]
        widths = Counter(token.place for token in kept)
        return best, [Choice(source, widths[place]) if widths[place] else NO_DRAFT for place, source in enumerate(sources)]

    def _limits(self, tokens: Sequence["_Token"]) -> list[int]:
        """The numbers of rows of a pass that are worth trying: up to each step, and as many as there are tokens."""
        plain = self.batch * self.target.least_rows
        most = plain + len(tokens)
        steps = (step for step in self.target.steps if plain < step < most)
        return [plain, *steps, most]

    def target_ms(self, rows: int, read: int) -> float:
        leaving_ms = 0.0 if self.target.step(rows) in self.at_hand else 2 * self.target.change_ms
        return self.target.total_ms(rows, read) + leaving_ms


class _Best(NamedTuple):
    """A draft, and the tokens a millisecond that it makes."""

    rate: float
    choice: Choice


class _Token(NamedTuple):
    """One token that could be drafted, at this depth (from 0) of the row at this place."""

    survival: float
    place: int
    depth: int
    drawn: bool


@dataclass
class _Load:
    """What a batch expects to emit in a round, and what it takes.

    Attributes:
        tokens: expected to be emitted.
        rows: of the target's pass.
        read: of these, the rows whose logits are asked for.
        drawing: how many rows take part in each pass of the draft model.
        draft_ms: what these passes cost.
    """

    costs: _Costs
    tokens: float
    rows: int
    read: int
    drawing: list[int] = field(default_factory=list)
    draft_ms: float = 0.0

    @classmethod
    def plain(cls, costs: _Costs) -> "_Load":
        """Nothing is drafted."""
        return cls(costs, float(costs.batch), costs.batch * costs.target.least_rows, costs.batch)

    def rate(self) -> float:
        return self.tokens / (self.costs.target_ms(self.rows, self.read) + self.draft_ms)

    def fits(self, token: _Token, limit: int) -> bool:
        """True if a pass of at most `limit` rows can verify one more."""
        return self.rows + self._more_rows(token) <= limit

    def add(self, token: _Token) -> None:
        """Draft one more; its row drafts those above it."""
        self.tokens += token.survival
        self.rows += self._more_rows(token)
        self.read += 1
        if token.drawn:
            assert self.costs.draft is not None
            others = self.drawing[token.depth] if token.depth < len(self.drawing) else 0
            self.drawing[token.depth : token.depth + 1] = [others + 1]
            self.draft_ms += self.costs.draft.ms([1] * (others + 1)) - (self.costs.draft.ms([1] * others) if others else 0.0)

    def _more_rows(self, token: _Token) -> int:
        """A row that a model computes anyway is free."""
        return int(token.depth + 2 > self.costs.target.least_rows)
