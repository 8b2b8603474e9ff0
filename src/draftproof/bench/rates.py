"""How fast one contender is, in its own right: what a client sees of one request.

An observation is a prompt: of its repeats the median counts, for they are the same work. Gaps between bursts are many a text, and those of
a text depend on each other, so they are observations in groups, a group a prompt.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from draftproof.bench.cell import ONE, Cell, cell_of
from draftproof.bench.quantiles import QUANTILES, Quantile, TooFew, grouped_quantile, quantile
from draftproof.bench.run import Reply, Run
from draftproof.bench.totals import Estimate, ratio_of_totals


@dataclass(frozen=True)
class Rates:
    """One contender in one cell of the table of one request.

    Attributes:
        cell: where it was measured.
        contender, engine: names.
        drafts: True if it is meant to draft.
        requests, prompts: how many, without those on which nothing was emitted.
        empty: requests on which nothing was emitted.
        rate: tokens a second, from the request to its last token; None if nothing was emitted.
        rate_after_first: tokens a second after the first burst; None if no text came in two bursts or more.
        first: seconds to the first burst, the median prompt.
        gaps: seconds between two bursts, one entry for each of `QUANTILES`; a tail takes many prompts, however long their texts are.
        drafted, accepted: tokens; None where the engine does not tell.
        tokens_a_burst, tokens_a_text: the means.
    """

    cell: Cell
    contender: str
    engine: str
    drafts: bool
    requests: int
    prompts: int
    empty: int
    rate: Estimate | None
    rate_after_first: Estimate | None
    first: Quantile | TooFew
    gaps: tuple[Quantile | TooFew, ...]
    drafted: int | None
    accepted: int | None
    tokens_a_burst: float
    tokens_a_text: float


def rates(runs: Iterable[Run]) -> list[Rates]:
    """Every contender, cell by cell, in the order of the runs; the table of one request alone."""
    cells: dict[tuple[Cell, str], list[Run]] = defaultdict(list)
    for run in runs:
        if run.table == ONE:
            cells[cell_of(run), run.contender].append(run)
    return [_rates(cell, of_one) for (cell, _), of_one in cells.items()]


def _rates(cell: Cell, runs: Sequence[Run]) -> Rates:
    told = [run for run in runs if run.tokens and run.replies[0].times]
    prompts: dict[int, list[Run]] = defaultdict(list)
    for run in told:
        prompts[run.replies[0].place].append(run)
    replies = [[run.replies[0] for run in group] for group in prompts.values()]
    streamed = [kept for group in replies if (kept := [reply for reply in group if len(reply.times) > 1])]
    return Rates(
        cell,
        runs[0].contender,
        runs[0].engine,
        runs[0].drafts,
        requests=len(told),
        prompts=len(prompts),
        empty=len(runs) - len(told),
        rate=_rate([[(run.tokens, run.seconds) for run in group] for group in prompts.values()]),
        rate_after_first=_rate([[(_after_first(reply), reply.seconds - reply.first) for reply in group] for group in streamed]),
        first=quantile([median(reply.first for reply in group) for group in replies], 0.5),
        gaps=tuple(grouped_quantile([[gap for reply in group for gap in reply.gaps] for group in replies], q) for q in QUANTILES),
        drafted=total(reply.drafted for group in replies for reply in group),
        accepted=total(reply.accepted for group in replies for reply in group),
        tokens_a_burst=sum(run.tokens for run in told) / max(1, sum(len(run.replies[0].times) for run in told)),
        tokens_a_text=sum(run.tokens for run in told) / max(1, len(told)),
    )


def total(counts: Iterable[int | None]) -> int | None:
    """The sum; None if one of them is not known."""
    counts = list(counts)
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _rate(groups: Sequence[Sequence[tuple[float, float]]]) -> Estimate | None:
    """Tokens a second over all prompts, of whose repeats the median counts."""
    groups = [kept for group in groups if (kept := [(tokens, seconds) for tokens, seconds in group if seconds > 0])]
    if not groups:
        return None
    tokens = [median(tokens for tokens, _ in group) for group in groups]
    return ratio_of_totals(
        tokens, [many * median(seconds / each for each, seconds in group) for many, group in zip(tokens, groups, strict=True)]
    )


def _after_first(reply: Reply) -> float:
    """Tokens after the first burst. Where the engine does not tell how many came in it, they were as many as in the mean burst."""
    if reply.rounds:
        return max(1, reply.tokens - reply.rounds[0].accepted - 1)
    return reply.tokens * (len(reply.times) - 1) / len(reply.times)
