"""Whether to draft here, with what, how wide, and what it would gain: from one decode without drafts.

A coupled text is the same with any draft. So the texts are decoded once, and every way to draft is replayed on them: which tokens it
would have drafted and how many would have been kept. What its rounds cost is read from a table of passes that is measured here. So
the answer is for this machine and for such texts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean
from time import perf_counter

from draftproof.bench.advice import Advice, break_even
from draftproof.bench.costs import Costs
from draftproof.bench.options import options_of
from draftproof.bench.record import Recording, record
from draftproof.bench.ways import WIDTHS, Way, every_way
from draftproof.engine import Engine
from draftproof.errors import BadRequest
from draftproof.models.cost import PassCost, measure
from draftproof.models.language import LanguageModel

BATCHES = (1, 4, 16)

ROWS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 128, 256)
"""At which a pass is timed, as far as the batches need it."""

REPEATS = 3
"""Of these times; passes of many rows take long."""

MAX_TOKENS = 64
"""Decoded of each text. What a drafter finds in longer texts is found later, so a longer plan is kinder to it."""

FEWEST_PROMPTS = 2
"""An interval over prompts takes two."""


@dataclass(frozen=True)
class Plan:
    """All answers, and what they rest on.

    Attributes:
        target, draft_model: names; the latter is empty where there is none.
        prompts: how many of each workload, by its name.
        max_tokens: decoded of each.
        costs: by workload, since a pass costs more after a long prompt; what is outside it is of all temperatures together.
        advices: in the order of workloads, temperatures and batches.
        seconds: that the planning took.
        drift: by workload, what a token took while the texts were decoded, as a multiple of what the costs say. Far from 1, the
            machine changed in between, and the plan is not to be relied on.
    """

    target: str
    draft_model: str
    prompts: Mapping[str, int]
    max_tokens: int
    costs: Mapping[str, Costs]
    advices: tuple[Advice, ...]
    seconds: float
    drift: Mapping[str, float] = field(default_factory=dict)


def plan(
    target: LanguageModel,
    prompts: Mapping[str, Sequence[Sequence[int]]],
    *,
    temperatures: Sequence[float] = (0.0,),
    draft_model: LanguageModel | None = None,
    batches: Sequence[int] = BATCHES,
    widths: Sequence[int] = WIDTHS,
    max_tokens: int = MAX_TOKENS,
    seed: int = 0,
    told: Callable[[str], None] = lambda what: None,
    clock: Callable[[], float] = perf_counter,
) -> Plan:
    """The answers for every workload, temperature and batch.

    Args:
        prompts: by workload, as token ids; two or more.
        draft_model: of the target's vocabulary, one more thing to draft with.
        widths: replayed beside "auto".
        told: what is being done, before it is done.
        clock: seconds.

    Raises:
        BadRequest: a workload of fewer than two prompts, no temperature, a batch or width below 1.
        Unsupported: a draft model of another vocabulary.
    """
    _check(prompts, temperatures, batches, widths)
    began = clock()
    told("measure what a pass costs")
    ways = every_way(target, draft_model, widths)
    engine = Engine(target, drafter="none")
    costs, drift, advices = dict[str, Costs](), dict[str, float](), list[Advice]()
    for workload, of_workload in prompts.items():
        told(f"{workload}: measure passes after a prompt of its length")
        context_tokens = round(mean(map(len, of_workload))) + max_tokens // 2
        passes = _passes(target, context_tokens, max(batches) * (1 + max(widths)), clock)
        draft_passes = measure(draft_model.model, context_tokens=context_tokens, clock=clock) if draft_model else None
        recordings = {}
        for temperature in temperatures:
            told(f"{workload}, temperature {temperature:g}: decode {len(of_workload)} prompts without drafts")
            recordings[temperature] = record(engine, of_workload, temperature=temperature, max_tokens=max_tokens, seed=seed, clock=clock)
        round_ms, token_ms, later_ms = (
            mean(getattr(each, name) for each in recordings.values()) for name in ("round_ms", "token_ms", "later_ms")
        )
        costs[workload] = Costs(passes, draft_passes, round_ms, token_ms)
        drift[workload] = later_ms / costs[workload].plain_ms
        for temperature, recording in recordings.items():
            own = replace(costs[workload], round_ms=recording.round_ms, token_ms=recording.token_ms)
            for batch in batches:
                told(f"{workload}, temperature {temperature:g}: replay {len(ways)} ways to draft at batch {batch}")
                advices.append(_advice(workload, temperature, batch, ways, recording, own, widths, clock))
    counts = {workload: len(of_workload) for workload, of_workload in prompts.items()}
    return Plan(target.name, draft_model.name if draft_model else "", counts, max_tokens, costs, tuple(advices), clock() - began, drift)


def _check(
    prompts: Mapping[str, Sequence[Sequence[int]]], temperatures: Sequence[float], batches: Sequence[int], widths: Sequence[int]
) -> None:
    for workload, of_workload in prompts.items():
        if len(of_workload) < FEWEST_PROMPTS:
            raise BadRequest(
                f"the prompts of {workload} to plan from are {len(of_workload)}; give at least {FEWEST_PROMPTS}, so that they can differ"
            )
    for name, values in (("batches", batches), ("widths", widths)):
        if not values or min(values) < 1:
            raise BadRequest(f"the {name} to plan for are {list(values)}; give numbers of at least 1")
    if not prompts or not temperatures:
        raise BadRequest("there is nothing to plan for; give at least one workload and one temperature")


def _passes(target: LanguageModel, context_tokens: int, most_rows: int, clock: Callable[[], float]) -> PassCost:
    """Passes in the middle of such texts, up to the rows of the widest round."""
    most_rows = max(most_rows, ROWS[2])  # a line takes two numbers of rows, even where one row is run as two
    rows = [*(rows for rows in ROWS if rows < most_rows), most_rows]
    return measure(target.model, widths=rows, context_tokens=context_tokens, repeats=REPEATS, clock=clock)


def _advice(
    workload: str,
    temperature: float,
    batch: int,
    ways: Sequence[Way],
    recording: Recording,
    costs: Costs,
    widths: Sequence[int],
    clock: Callable[[], float],
) -> Advice:
    options, held_out = options_of(ways, recording, costs, batch, clock)
    rounds = costs if options[0].model else replace(costs, draft=None)
    return Advice(workload, temperature, batch, options, held_out, tuple(break_even(rounds, width, batch) for width in widths))
