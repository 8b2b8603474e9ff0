"""What a round costs, from tables and clocks that never saw the rounds that are predicted."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from draftproof.bench.contender import Round
from draftproof.bench.run import Run
from draftproof.models.cost import PassCost, filled

OF_A_TOKEN = ("sampling", "verdict")
"""Parts of a run that grow with the emitted tokens: each takes the law of one row and one race."""

OF_A_ROUND = ("draft", "rest")
"""Parts that come once a round where nothing is drafted."""


@dataclass(frozen=True)
class Costs:
    """The parts of a round, in milliseconds.

    Attributes:
        target: a pass of the target by its rows.
        draft: a pass of the draft model by its rows; None if drafts are guessed.
        round_ms: outside the passes, once a round: asking the drafter, bookkeeping, text.
        token_ms: outside the passes, once a law: of an emitted token, and of one that a model drafts.
    """

    target: PassCost
    draft: PassCost | None = None
    round_ms: float = 0.0
    token_ms: float = 0.0

    @property
    def plain_ms(self) -> float:
        """A token without drafts."""
        return self.target.ms([1]) + self.round_ms + self.token_ms

    @property
    def draft_share(self) -> float:
        """What drafting a token costs, as a part of a plain pass: c in Leviathan's formula."""
        return self.drafting_ms(1) / self.target.ms([1])

    def drafting_ms(self, tokens: int) -> float:
        """To draft so many tokens for one sequence; nothing if they are guessed, which counts in `round_ms`."""
        return tokens * (self.draft.ms([1]) + self.token_ms) if self.draft else 0.0

    def target_ms(self, passes: Sequence[Sequence[int]]) -> float:
        """Passes of the target one after another, each given by the tokens that its sequences drafted."""
        rows = [[1 + drafted for drafted in each] for each in passes]
        totals = [sum(max(count, self.target.least_rows) for count in each) for each in rows]
        steps = [filled(total, self.target.steps) for total in totals]
        changes = sum(before != after for before, after in pairwise(steps))
        return sum(map(self.target.ms, rows)) + changes * self.target.change_ms

    def passes_ms(self, rounds: Sequence[Round]) -> float:
        """The passes of target and draft model in these rounds of one sequence."""
        return self.target_ms([[each.drafted] for each in rounds]) + self.drafting_ms(sum(each.drafted for each in rounds))

    def ms(self, rounds: Sequence[Round], tokens: int) -> float:
        """These rounds of one sequence, in which so many tokens are emitted."""
        return self.passes_ms(rounds) + len(rounds) * self.round_ms + tokens * self.token_ms


def outside(plain: Sequence[Run]) -> tuple[float, float]:
    """(`round_ms`, `token_ms`) of runs without drafts, from their time by part; zeros where the engine does not tell it."""
    tokens = sum(len(reply.rounds) for run in plain for reply in run.replies)  # without drafts a round is a token
    seconds = {name: sum(dict(run.parts).get(name, 0.0) for run in plain) for name in (*OF_A_ROUND, *OF_A_TOKEN)}
    per_token = 1000 / tokens if tokens else 0.0
    return sum(seconds[name] for name in OF_A_ROUND) * per_token, sum(seconds[name] for name in OF_A_TOKEN) * per_token
