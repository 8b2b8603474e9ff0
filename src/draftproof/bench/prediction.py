"""The cost model against what was seen, and where the two part.

What is predicted is a ratio of times. **From the runs with drafts** come the rounds alone: how many tokens each drafted and kept. **From
elsewhere** come all times: passes from a table that was measured apart; from runs without drafts what a round does outside its passes, and
how many tokens the reading of a prompt is worth. No time of a run with drafts is used, so what was observed is free to differ from what
was predicted.

Leviathan's formula (arXiv 2211.17192, theorem 3.8) knows three numbers: a, the share of judged tokens that is kept; g, the tokens that a
round drafts; c, what drafting a token costs of a pass. It takes a to be the same at every place, every round to draft g tokens, rows to
be free, and nothing to happen outside the passes. The steps of a prediction give these up one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from draftproof.bench.acceptance import Acceptance
from draftproof.bench.costs import Costs
from draftproof.bench.run import Run
from draftproof.bench.seen import Seen, over_prompts, seen

TOLERANCE = 0.1
"""A prediction that is further off, as a part of what was observed, did not hold."""

MATTERS = 0.02
"""What changes a speed-up by less is not worth words."""


class Compared(NamedTuple):
    """A speed-up as predicted and as observed."""

    predicted: float
    observed: float

    @property
    def difference(self) -> float:
        """Of the prediction, as a part of what was observed: 0.1 promised a tenth too much."""
        return self.predicted / self.observed - 1

    @property
    def holds(self) -> bool:
        return abs(self.difference) <= TOLERANCE


class Step(NamedTuple):
    """The speed-up that is to be expected when one more thing is taken into account: `known`, as a clause."""

    known: str
    speedup: float


@dataclass(frozen=True)
class Prediction:
    """One contender on one workload at one temperature, one request at a time.

    Attributes:
        acceptance: of its drafts. a and g of the formula are its `share` and `width`.
        draft_share: c of the formula.
        rows_cost: what the target's passes of its rounds cost on average, in plain passes.
        steps: from the formula, the first, to whole requests, the last.
        formula: Leviathan's speed-up against that after the first burst.
        decoding: the speed-up after the first burst, when the prompt was read.
        whole: the speed-up of requests, the reading of their prompts included.
        plain_drift, drafted_drift: what runs without drafts and with them took after the first burst, as a multiple of what the model says.
        sentences: where formula, model and observation part, and why.
    """

    workload: str
    temperature: float
    contender: str
    acceptance: Acceptance
    draft_share: float
    rows_cost: float
    steps: tuple[Step, ...]
    formula: Compared
    decoding: Compared
    whole: Compared
    plain_drift: float
    drafted_drift: float
    sentences: tuple[str, ...]


def leviathan(share: float, width: float, draft_share: float) -> float:
    """(1 - a^(g+1)) / ((1 - a) (g c + 1))."""
    tokens = width + 1 if share == 1 else (1 - share ** (width + 1)) / (1 - share)
    return tokens / (width * draft_share + 1)


def predict(drafting: Sequence[Run], plain: Sequence[Run], costs: Costs) -> Prediction:
    """One contender's runs on one workload, held against those of the same engine without drafts.

    Args:
        drafting, plain: of the table of one request.
        costs: at about the length of these texts.

    Raises:
        BadRequest: runs without a partner, or of an engine that does not tell its rounds.
    """
    return _Model(seen(drafting, plain), costs).prediction(drafting[0])


class _Times(NamedTuple):
    """Of all pairs together, without drafts and with them, in the same unit."""

    plain: float
    drafted: float


@dataclass(frozen=True)
class _Model:
    """What is expected of the pairs, and what was seen."""

    pairs: Sequence[Seen]
    costs: Costs

    def prediction(self, run: Run) -> Prediction:
        pairs, costs = self.pairs, self.costs
        acceptance = Acceptance(tuple(each for pair in pairs for each in pair.drafted.rounds), sum(pair.drafted_tokens for pair in pairs))
        formula = leviathan(acceptance.share, acceptance.width, costs.draft_share)
        later, plain_pass = [pair.drafted.rounds[1:] for pair in pairs], costs.target.ms([1])
        rounds = sum(map(len, later))
        drawing = sum(costs.drafting_ms(each.drafted) for of_one in later for each in of_one)
        passes = _Times(self._plain_tokens * plain_pass, sum(map(costs.passes_ms, later)))
        rows_cost = (passes.drafted - drawing) / rounds / plain_pass
        outside_ms = rounds * costs.round_ms + self._drafted_tokens * costs.token_ms
        decoding = _Times(self._plain_tokens * costs.plain_ms, passes.drafted + outside_ms)
        observed = _Times(
            sum(1000 * (pair.plain.seconds - pair.plain.first) for pair in pairs),
            sum(1000 * (pair.drafted.seconds - pair.drafted.first) for pair in pairs),
        )
        drifts = _Times(observed.plain / decoding.plain, observed.drafted / decoding.drafted)
        whole = self._whole(decoding, drifts.plain)
        outside = 1 - plain_pass / costs.plain_ms
        steps = (
            Step("Leviathan's formula", formula),
            Step(_unevenly(acceptance), self._later_rate(_Times(passes.plain, rounds * plain_pass + drawing))),
            Step(f"a pass of its rows costs {rows_cost:.2f} plain ones", self._later_rate(passes)),
            Step(f"of a plain round {outside:.1%} is outside the pass", self._later_rate(decoding)),
            Step(f"of a plain request {1 - decoding.plain / whole.plain:.0%} goes before its second token", self._whole_rate(whole)),
        )
        after = Compared(steps[3].speedup, over_prompts(pairs, lambda pair: pair.later_ratio))
        requests = Compared(steps[4].speedup, over_prompts(pairs, lambda pair: pair.pair.ratio))
        return Prediction(
            run.workload,
            run.temperature,
            run.contender,
            acceptance,
            costs.draft_share,
            rows_cost,
            steps,
            Compared(formula, after.observed),
            after,
            requests,
            drifts.plain,
            drifts.drafted,
            (*_explained(steps), *self._parted(after, requests, drifts)),
        )

    @property
    def _plain_tokens(self) -> int:
        return sum(pair.later_plain_tokens for pair in self.pairs)

    @property
    def _drafted_tokens(self) -> int:
        return sum(pair.later_drafted_tokens for pair in self.pairs)

    def _whole(self, decoding: _Times, plain_drift: float) -> _Times:
        """With the first rounds, which read the prompt: as long as without drafts, and what the draft adds.

        They were seen on a machine that may have been slower or faster than when the passes were timed, as `plain_drift` tells.
        """
        costs = self.costs
        first = sum(1000 * pair.plain.first for pair in self.pairs) / plain_drift
        rounds = [pair.drafted.rounds[0] for pair in self.pairs]
        more = sum(costs.passes_ms([each]) - costs.target.ms([1]) + each.accepted * costs.token_ms for each in rounds)
        if costs.draft:  # it reads the prompt too
            more += sum(costs.draft.total_ms(pair.drafted.prompt_tokens) - costs.draft.ms([1]) for pair in self.pairs)
        return _Times(first + decoding.plain, first + more + decoding.drafted)

    def _later_rate(self, times: _Times) -> float:
        """The speed-up after the first burst, since the texts may differ in length: of tokens a second."""
        return (times.plain / self._plain_tokens) / (times.drafted / self._drafted_tokens)

    def _whole_rate(self, times: _Times) -> float:
        tokens = _Times(sum(pair.plain_tokens for pair in self.pairs), sum(pair.drafted_tokens for pair in self.pairs))
        return (times.plain / tokens.plain) / (times.drafted / tokens.drafted)

    def _parted(self, after: Compared, requests: Compared, drifts: _Times) -> list[str]:
        """Where the model and the observation part."""
        sentences = []
        if abs(drifts.plain - 1) > TOLERANCE:
            sentences.append(
                f"Without drafts a token took {drifts.plain:.2f} times what the table of passes says: the machine was not as it was when "
                "the table was measured, or the texts are of another length. That touches the ratio only where it is not alike with drafts."
            )
        if abs(after.difference) > MATTERS:
            sentences.append(
                f"Observed was {after.observed:.2f}, predicted {after.predicted:.2f}: rounds with drafts took {drifts.drafted:.2f} times "
                f"what the model says, those without {drifts.plain:.2f} times{self._by_part}."
            )
        if not requests.holds and after.holds:
            sentences.append("The rest of the difference lies in the first burst, where the prompt is read and the drafter begins.")
        return sentences

    @property
    def _by_part(self) -> str:
        """What the clock of the runs with drafts says of passes and of the rest; nothing if they have none."""
        parts = [dict(pair.pair.drafting.parts) for pair in self.pairs]
        if not all("target" in each for each in parts):
            return ""
        rounds, tokens = sum(len(pair.drafted.rounds) for pair in self.pairs), sum(pair.drafted_tokens for pair in self.pairs)
        outside = 1000 * sum(sum(each.values()) - each["target"] for each in parts) / rounds
        drafting = 1000 * sum(each.get("draft", 0.0) for each in parts) / rounds
        later = sum(self.costs.drafting_ms(each.drafted) for pair in self.pairs for each in pair.drafted.rounds)
        model = self.costs.round_ms + (tokens * self.costs.token_ms + later) / rounds
        return (
            f"; outside the target's passes a round took {outside:.2f} ms, the drafter's {drafting:.2f} included, "
            f"and the model has {model:.2f}"
        )


def _unevenly(acceptance: Acceptance) -> str:
    """How far the drafts are from those of the formula."""
    known = f"{acceptance.drafting:.0%} of the rounds draft anything"
    if not (positions := acceptance.positions):
        return known
    last = max((each for each in positions if each.reached), key=lambda each: each.place)
    return f"{known}, the first token is kept in {positions[0].survival:.0%}, the last of {last.place} in {last.survival:.0%}"


def _explained(steps: Sequence[Step]) -> list[str]:
    """Where the formula and the model part."""
    factors = [(after.speedup / before.speedup, after.known) for before, after in pairwise(steps)]
    weighty = [f"{known} (a factor of {factor:.2f})" for factor, known in factors if abs(factor - 1) > MATTERS]
    if not weighty:
        return []
    return [f"Leviathan's formula says {steps[0].speedup:.2f}, the measured costs {steps[-1].speedup:.2f}: {'; '.join(weighty)}."]
