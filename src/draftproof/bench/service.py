"""Throughput: all orders of a workload at once, so many at a time, and what of the time is not spent in the models."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

from draftproof.bench.cell import SERVICE, Cell, cell_of
from draftproof.bench.contender import Order
from draftproof.bench.measure import Batch, Heat, Sitting
from draftproof.bench.rates import total
from draftproof.bench.run import Run
from draftproof.bench.totals import Estimate, ratio_of_totals

SLOTS = (1, 2, 4, 8, 16)

CYCLES = 3
"""Orders a slot at least: while the last ones end, slots stand idle, and that must not be most of the time."""


def service(sitting: Sitting, slots: Iterable[int] = SLOTS) -> list[Heat]:
    """The table of service. A contender takes part wherever it has enough slots."""
    heats = []
    for workload in sitting.workloads:
        for temperature in sitting.temperatures:
            orders = sitting.orders(workload, temperature)
            for width in slots:
                batch = _batch(sitting, orders, max(len(orders), CYCLES * width), width)
                field = tuple(contender for contender in sitting.field if contender.slots >= width)
                if field:
                    heats.append(Heat(Cell(SERVICE, workload.name, temperature, width), field, ((batch,),) * sitting.repeats))
    return heats


def _batch(sitting: Sitting, orders: Sequence[Order], count: int, slots: int) -> Batch:
    """So many orders: the prompts one after the other, again and again, each time with seeds of their own.

    The first order of each slot is shortened, each to another length, so that slots are out of step as they are in a service that
    has run for long. Texts that begin together and are of one length end together: their prompts would be read in one pass ever after.
    """
    places = tuple(islice(cycle(range(len(orders))), count))
    chosen = [replace(orders[place], seed=sitting.seed + number) for number, place in enumerate(places)]
    for number, order in enumerate(chosen[:slots]):
        chosen[number] = replace(order, max_tokens=-(-order.max_tokens * (number + 1) // slots))
    return Batch(tuple(chosen), places)


@dataclass(frozen=True)
class Throughput:
    """One contender at one number of slots. The interval is over repeats: it says nothing of other prompts.

    Attributes:
        cell: where it was measured.
        contender, engine: names.
        drafts: True if it is meant to draft.
        repeats: runs.
        orders: of each.
        rate: tokens a second, of all orders together; None if nothing was emitted.
        outside: the share of the time that was not spent in passes of the target; None where the engine does not tell.
        drafting: of the whole time, the share that went into drafting, which is part of `outside`; a model's passes if it is one
            that drafts, bookkeeping if not.
        drafted, accepted: tokens; None where the engine does not tell.
    """

    cell: Cell
    contender: str
    engine: str
    drafts: bool
    repeats: int
    orders: int
    rate: Estimate | None
    outside: float | None
    drafting: float | None
    drafted: int | None
    accepted: int | None


def throughputs(runs: Iterable[Run]) -> list[Throughput]:
    """Every contender at every number of slots, in the order of the runs; the table of service alone."""
    cells: dict[tuple[Cell, str], list[Run]] = defaultdict(list)
    for run in runs:
        if run.table == SERVICE:
            cells[cell_of(run), run.contender].append(run)
    return [_throughput(cell, of_one) for (cell, _), of_one in cells.items()]


def _throughput(cell: Cell, runs: Sequence[Run]) -> Throughput:
    emitted = [run for run in runs if run.tokens and run.seconds > 0]
    replies = [reply for run in runs for reply in run.replies]
    return Throughput(
        cell,
        runs[0].contender,
        runs[0].engine,
        runs[0].drafts,
        repeats=len(runs),
        orders=len(runs[0].replies),
        rate=ratio_of_totals([run.tokens for run in emitted], [run.seconds for run in emitted]) if emitted else None,
        outside=outside(runs),
        drafting=share(runs, "draft"),
        drafted=total(reply.drafted for reply in replies),
        accepted=total(reply.accepted for reply in replies),
    )


def outside(runs: Sequence[Run]) -> float | None:
    """The share of the time that was not spent in passes of the target; None where a run does not tell.

    Drafting counts as outside: most drafters are bookkeeping. Where a model drafts, its passes are `share(runs, "draft")` at most.
    """
    inside = share(runs, "target")
    return None if inside is None else 1 - inside


def share(runs: Sequence[Run], part: str) -> float | None:
    """Of the time of all runs, the share of a part; None where a run does not tell, or they took no time."""
    if not runs or not all(run.parts for run in runs):
        return None
    seconds = sum(run.seconds for run in runs)
    return sum(dict(run.parts).get(part, 0.0) for run in runs) / seconds if seconds else None
