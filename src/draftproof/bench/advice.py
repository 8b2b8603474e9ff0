"""The answer to one question: should this workload be drafted for, with what, how wide, and what would it gain?"""

from dataclasses import dataclass

from draftproof.bench.acceptance import Acceptance
from draftproof.bench.costs import Costs

LEAST_GAIN = 1.02
"""A smaller predicted speed-up is not worth drafting for."""

SELDOM = 0.2
"""A drafter that proposes something in a smaller share of the rounds has little to draft from."""


@dataclass(frozen=True)
class Option:
    """One way to draft, replayed on the texts of one workload at one temperature and batch.

    Attributes:
        drafter: a name of `drafting.DRAFTERS`.
        width: tokens in a round at most, or "auto".
        model: True if it runs the draft model.
        speedup: predicted for whole requests, the reading of the prompt included.
        low, high: the interval of it over prompts, see `totals`.
        decoding: predicted for what follows the reading of the prompt.
        acceptance: of the replayed rounds.
    """

    drafter: str
    width: int | str
    model: bool
    speedup: float
    low: float
    high: float
    decoding: float
    acceptance: Acceptance

    @property
    def name(self) -> str:
        return f"{self.drafter} {self.width}" + (" with the draft model" if self.model and self.drafter == "best_of" else "")

    def engine(self, draft_model: str) -> str:
        """What `--engine` calls it, where the draft model is called so."""
        options = [f"width={self.width}"] if self.width != "auto" else []
        options += [f"draft={draft_model}"] if self.model else []
        return f"ours:{','.join([self.drafter, *options])}"

    @property
    def first(self) -> float:
        """How often the first token of a draft was kept; 0 if nothing was drafted."""
        positions = self.acceptance.positions
        return positions[0].survival if positions else 0.0


@dataclass(frozen=True)
class BreakEven:
    """Where drafting `width` tokens in a round begins to pay.

    Attributes:
        width: tokens drafted.
        cost: of such a round, as a multiple of one without a draft: so many tokens must come of it.
        acceptance: of the first token, and of each later one if those before it were kept; None if no acceptance suffices.
    """

    width: int
    cost: float
    acceptance: float | None


@dataclass(frozen=True)
class Advice:
    """The answer for one workload, temperature and batch.

    Attributes:
        batch: requests decoded together.
        options: the best first.
        held_out: the speed-up where each prompt is decoded as was best on the others. It is lower than that of the best option as far as
            that one was best by chance.
        break_even: by width; with the passes of the draft model if the best option runs it.
    """

    workload: str
    temperature: float
    batch: int
    options: tuple[Option, ...]
    held_out: float
    break_even: tuple[BreakEven, ...]

    @property
    def best(self) -> Option:
        return self.options[0]

    @property
    def runner_up(self) -> Option | None:
        """The best option of another drafter."""
        drafter = self.best.drafter, self.best.model
        return next((option for option in self.options if (option.drafter, option.model) != drafter), None)

    @property
    def promising(self) -> bool:
        """True if the best option gains enough to be worth a measurement."""
        return self.best.speedup >= LEAST_GAIN

    @property
    def draft(self) -> bool:
        """True if drafting is advised: it is promising, also by its interval, and where it was chosen on other prompts."""
        return self.promising and min(self.best.low, self.held_out) > 1

    @property
    def words(self) -> str:
        """The answer in sentences."""
        best = self.best
        gain = f"{best.speedup:.2f} times as fast ({best.low:.2f} to {best.high:.2f})"
        if not self.draft:
            return f"Do not draft{' yet' if self.promising else ''}: with {best.name}, the best, it would be {gain}. {self._against}"
        sentences = [f"Draft with {best.name}: {gain}, {best.acceptance.block_efficiency:.1f} tokens a pass."]
        if self.runner_up:
            sentences.append(f"Next is {self.runner_up.name} with {self.runner_up.speedup:.2f}.")
        sentences.append(f"Chosen on the other prompts, it is {self.held_out:.2f} on each.")
        return " ".join(sentences)

    @property
    def _against(self) -> str:
        """Why drafting is not advised."""
        best, seen = self.best, self.best.acceptance
        if self.promising and self.held_out <= 1:
            return f"The prompts do not agree: chosen on the others, it would be {self.held_out:.2f} on each. Plan with more of them."
        if self.promising:
            return "The prompts do not agree on whether it gains at all. Plan with more of them, or with longer texts."
        if best.decoding >= LEAST_GAIN:
            return (
                f"After the prompt it would be {best.decoding:.2f}, but both ways read the prompt first, and that takes most of the time."
            )
        if seen.drafting < SELDOM:
            return f"There is little to draft from: something is proposed in {100 * seen.drafting:.0f} of 100 rounds."
        even = min(self.break_even, key=lambda each: abs(each.width - seen.width / seen.drafting))
        kept = f"the first token of a draft is kept in {100 * best.first:.0f} of 100"
        if even.acceptance is None:
            return f"Rows cost too much: a round that drafts {even.width} takes {even.cost:.2f} times as long as one that drafts nothing."
        reason = "Few tokens are guessed" if best.first < even.acceptance else "Rows cost too much"
        return (
            f"{reason}: {kept}; a round that drafts {even.width} takes {even.cost:.2f} times as long as one that drafts nothing, "
            f"which pays from {100 * even.acceptance:.0f} of 100 on."
        )


def break_even(costs: Costs, width: int, batch: int = 1) -> BreakEven:
    """Where it pays that each of `batch` sequences drafts `width` tokens in every round.

    A law a token is due with a draft and without one, so it counts on neither side.
    """
    drawing = width * (costs.draft.ms([1] * batch) + batch * costs.token_ms) if costs.draft else 0.0
    plain = costs.target.ms([1] * batch) + batch * costs.round_ms
    cost = (costs.target.ms([1 + width] * batch) + drawing + batch * costs.round_ms) / plain
    return BreakEven(width, cost, _needed(cost, width))


def _needed(tokens: float, width: int) -> float | None:
    """The acceptance a with 1 + a + ... + a^width = `tokens`, found by halving."""
    if tokens > width + 1:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if sum(middle**power for power in range(width + 1)) >= tokens else (middle, high)
    return high if tokens > 1 else 0.0
