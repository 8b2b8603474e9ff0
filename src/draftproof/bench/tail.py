"""Latency when requests come at times of their own, whether or not the engine is ready: the law of the tail, and how many stay within
limits.

Arrivals are a Poisson process with a fixed rate, drawn beforehand and the same for all contenders. A latency is counted from the moment at
which the request should have been made. A client that waits for an answer before it asks again, and counts from there, asks less while the
engine is slow: it leaves out the very requests that would have waited. This is called coordinated omission. Whether latencies add up
to the wall clock, and whether requests overtake each other, shows whether a contender commits it; then no quantile of it is told.

Requests that waited in one queue depend on each other. From the moment at which the engine stands idle everything begins afresh, so an
observation in the sense of `quantiles` is what happened from one idle moment to the next. An engine that never stands idle gives one
observation, and that is right: its queue grows, and its latency has no law.

The law is that of sittings like this one: so many requests, the first of which meets an empty queue. Where an engine is busy most of the
time, those who come after many more wait longer. There, too, a sitting with idle moments enough for a claim is one of the luckier ones: in
simulations of one server, four sittings of 100 to 300 requests, the interval of a claimed p95 held the truth in 0.92 to 0.97 of all cases
at 0.3 of its capacity, in 0.87 to 0.92 at 0.6, and in 0.4 to 0.8 at 0.8, where fewer than half claim one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from draftproof.bench.cell import TAIL, Cell, cell_of
from draftproof.bench.contender import Order
from draftproof.bench.measure import Batch, Heat, Sitting
from draftproof.bench.quantiles import QUANTILES, Quantile, TooFew, grouped_quantile
from draftproof.bench.run import Reply, Run
from draftproof.errors import BadRequest

REQUESTS = 100

SATURATED = 0.1
"""A queue that grows leaves that share of the requests unserved when the last one comes, beyond those in the slots."""

UNACCOUNTED = 0.05
"""Of the wall clock, what may lie after the end of the last latency; and of the longest latency, by how much a request may seem to
overtake."""


@dataclass(frozen=True)
class Limits:
    """What a request must keep to count as good.

    Attributes:
        first: seconds to the first burst, at most; None for no limit.
        a_token: seconds a token after the first burst, at most; None for no limit.
    """

    first: float | None = None
    a_token: float | None = None

    def kept(self, reply: Reply) -> bool:
        """Whether a reply is good. One without text is not."""
        if not reply.times or not reply.tokens:
            return False
        in_time = self.first is None or reply.first <= self.first
        return in_time and (self.a_token is None or (reply.seconds - reply.first) / max(1, reply.tokens - 1) <= self.a_token)


NO_LIMITS = Limits()


def tail(sitting: Sitting, rates: Iterable[float], *, slots: int = 1, requests: int = REQUESTS) -> list[Heat]:
    """The table of the tail: each repeat has arrivals and prompts of its own, the same for all contenders.

    Args:
        rates: arrivals a second.
        slots: orders served at once at most; a contender takes part if it has so many.
        requests: of each run.

    Raises:
        BadRequest: a rate that is not above 0, or no requests.
    """
    field = tuple(contender for contender in sitting.field if contender.slots >= slots)
    if requests < 1:
        raise BadRequest(f"{requests} requests are asked for; it takes at least 1")
    heats = []
    for workload in sitting.workloads:
        for temperature in sitting.temperatures:
            orders = sitting.orders(workload, temperature)
            for rate in rates:
                if not 0 < rate < float("inf"):
                    raise BadRequest(f"{rate:g} arrivals a second are asked for; give a number above 0")
                cell = Cell(TAIL, workload.name, temperature, slots, float(rate))
                repeats = tuple((_arrivals(sitting.seed, repeat, orders, rate, requests),) for repeat in range(sitting.repeats))
                if field:
                    heats.append(Heat(cell, field, repeats))
    return heats


def _arrivals(seed: int, repeat: int, orders: Sequence[Order], rate: float, requests: int) -> Batch:
    """Orders whose prompts are drawn at random, at the times of a Poisson process; at another rate the same ones come sooner or later."""
    rng = np.random.default_rng([seed, repeat])
    times = rng.exponential(size=requests).cumsum() / rate
    places = rng.integers(len(orders), size=requests)
    chosen = (
        replace(orders[place], arrival=float(time), seed=seed + repeat * requests + number)
        for number, (place, time) in enumerate(zip(places, times, strict=True))
    )
    return Batch(tuple(chosen), tuple(map(int, places)))


@dataclass(frozen=True)
class Tail:
    """One contender at one rate.

    Attributes:
        cell: where it was measured.
        contender, engine: names.
        drafts: True if it is meant to draft.
        requests: that were made.
        empty: of these, those on which nothing was emitted; they are in no quantile, and not good.
        first, whole: seconds from the arrival to the first burst and to the last, one entry for each of `QUANTILES`; see `law`.
        goodput: requests a second that are known to have kept the limits; the clock ran until the last one was served.
        limits: that they had to keep.
        backlog: the mean share of the requests that were unserved when the last one came.
        saturated: True if the queue grew: then the latencies only say how long it was measured.
        reason: why no quantile is told at all; empty if there is none.
    """

    cell: Cell
    contender: str
    engine: str
    drafts: bool
    requests: int
    empty: int
    first: tuple[Quantile | TooFew, ...]
    whole: tuple[Quantile | TooFew, ...]
    goodput: float
    limits: Limits
    backlog: float
    saturated: bool
    reason: str

    @property
    def law(self) -> str:
        """Whose quantiles they are."""
        return "sittings like this one, which begin with an empty queue"


def tails(runs: Iterable[Run], limits: Limits = NO_LIMITS) -> list[Tail]:
    """Every contender at every rate, in the order of the runs; the table of the tail alone. A run without requests counts for nothing."""
    cells: dict[tuple[Cell, str], list[Run]] = defaultdict(list)
    for run in runs:
        if run.table == TAIL and run.replies:
            cells[cell_of(run), run.contender].append(run)
    return [_tail(cell, of_one, limits) for (cell, _), of_one in cells.items()]


def _tail(cell: Cell, runs: Sequence[Run], limits: Limits) -> Tail:
    replies = [reply for run in runs for reply in run.replies]
    reason = next((reason for run in runs if (reason := omission(run))), "")
    periods = [] if reason else [period for run in runs for period in busy_periods(run.replies)]
    good = 0 if reason else sum(map(limits.kept, replies))
    seconds = sum(run.seconds for run in runs)
    backlog = float(np.mean([_unserved(run) / len(run.replies) for run in runs]))
    return Tail(
        cell,
        runs[0].contender,
        runs[0].engine,
        runs[0].drafts,
        requests=len(replies),
        empty=sum(not reply.times for reply in replies),
        first=tuple(grouped_quantile([[reply.first for reply in period] for period in periods], q) for q in QUANTILES),
        whole=tuple(grouped_quantile([[reply.seconds for reply in period] for period in periods], q) for q in QUANTILES),
        goodput=good / seconds if seconds else 0.0,
        limits=limits,
        backlog=backlog,
        saturated=float(np.mean([_unserved(run) - cell.slots for run in runs])) > SATURATED * len(runs[0].replies),
        reason=reason,
    )


def busy_periods(replies: Iterable[Reply]) -> list[list[Reply]]:
    """The replies in groups, from one moment at which nothing was left to do to the next. Those without text are left out."""
    periods: list[list[Reply]] = []
    until = float("-inf")
    for reply in sorted(replies, key=lambda reply: reply.arrival):
        if not reply.times:
            continue
        if reply.arrival >= until:
            periods.append([])
        periods[-1].append(reply)
        until = max(until, reply.arrival + reply.seconds)
    return periods


def omission(run: Run) -> str:
    """Why the latencies of a run are not to be trusted; empty if they may have been counted from the arrivals.

    Two things give a clock away that was started late. The last latency ends before the run does; or text comes while as many requests
    as there are slots, all of which came earlier, are not done. When a request without text was done is not known: it is taken to have
    waited as long as any other.
    """
    replies = [reply for reply in run.replies if reply.times]
    longest = max((reply.seconds for reply in replies), default=0.0)
    last = max((reply.arrival + (reply.seconds if reply.times else longest) for reply in run.replies), default=0.0)
    if replies and run.seconds - last > UNACCOUNTED * run.seconds:
        return (
            f"the run took {run.seconds:.2f} s, but its last latency ends {last:.2f} s after the start: "
            "latencies were not counted from the arrivals"
        )
    arrivals, ends = np.array([(reply.arrival, reply.arrival + reply.seconds) for reply in replies]).reshape(-1, 2).T
    for reply in replies:
        text = reply.arrival + reply.first
        if np.count_nonzero((arrivals < reply.arrival) & (ends > text + UNACCOUNTED * longest)) >= run.slots:
            return (
                f"a request that came {reply.arrival:.2f} s after the start had text within {reply.first:.2f} s, "
                f"while {run.slots} earlier ones filled the slots: latencies were not counted from the arrivals"
            )
    return ""


def _unserved(run: Run) -> int:
    """Requests that had come, the last one left out, and were not done when the last one came."""
    last = max(reply.arrival for reply in run.replies)
    return sum(reply.arrival < last < reply.arrival + reply.seconds for reply in run.replies)
