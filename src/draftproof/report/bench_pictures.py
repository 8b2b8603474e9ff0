"""Which pictures a benchmark has, and what stands on each."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from draftproof.bench.cell import ONE, SERVICE, TAIL, Cell, cell_of
from draftproof.bench.compare import Comparison
from draftproof.bench.pairs import Pair
from draftproof.bench.run import Run
from draftproof.bench.totals import Estimate
from draftproof.report import bench_figures as figures
from draftproof.report.bench import BenchReport
from draftproof.report.svg import Drawing

WIDTH = re.compile(r", width (\d+)\b")
"""What a contender of a fixed width has in its name."""


OF_GAPS = "With drafts a burst brings more tokens, so fewer and longer waits may still be faster."

LONGEST_NAME = 40
"""Characters of a workload in the name of a file."""


class Picture(NamedTuple):
    """A drawing with its place.

    Attributes:
        table: the kind of table under which it stands.
        section: the workload and the temperature in it; None if it is of the whole table.
        name: of a file; no two share one.
    """

    table: str
    section: tuple[str, float] | None
    name: str
    drawing: Drawing


def pictures(report: BenchReport) -> list[Picture]:
    """All of them: of whole tables, then section by section.

    Raises:
        Unsupported: matplotlib is not installed.
    """
    sections: dict[tuple[str, str, float], list[Run]] = defaultdict(list)
    for run in report.runs:
        sections[run.table, run.workload, run.temperature].append(run)
    made = {ONE: _of_one, SERVICE: _of_service, TAIL: _of_tail}
    return [
        *_of_tables(report.comparisons),
        *(
            Picture(table, (workload, temperature), f"{number}-{table}-{_plain(workload)}-{temperature:g}-{what}", drawing)
            for number, ((table, workload, temperature), runs) in enumerate(sections.items(), start=1)
            for what, drawing in made[table](report, runs, f"figure-{number}")
        ),
    ]


def _of_tables(comparisons: Sequence[Comparison]) -> Iterator[Picture]:
    """The speed-ups of each table, where there are several and any is told."""
    for table in (ONE, SERVICE):
        found = [_ratio(one) for one in comparisons if one.cell.table == table]
        if len(found) > 1 and any(one.told for one in found):
            yield Picture(table, None, f"{table}-speed-ups", figures.speed_ups(found, f"{table}-speed-ups"))


def _ratio(one: Comparison) -> figures.Ratio:
    cell = one.cell
    where = f"{cell.workload}, {cell.temperature:g}" + (f", {cell.slots} slots" if cell.table == SERVICE else "")
    return figures.Ratio(where, one.drafting, _told(one.speed_up))


def _told(found: Estimate | None) -> tuple[float, float, float] | None:
    """A speed-up with its interval; where it has none, with itself at both ends."""
    return (found.value, found.low or found.value, found.high or found.value) if found else None


def _plain(name: str) -> str:
    """What any file may be called."""
    return re.sub(r"[^a-z0-9_]+", "-", name.lower())[:LONGEST_NAME]


def _of_one(report: BenchReport, runs: Sequence[Run], name: str) -> Iterator[tuple[str, Drawing]]:
    cell = cell_of(runs[0])
    comparisons = [one for one in report.comparisons if one.cell == cell]
    yield from _widths(report, cell, comparisons, f"{name}-widths")
    if first := _by_contender(runs, first=True):
        yield "first", figures.waits("Waits for the first text", first, f"{name}-first", of="requests")
    if gaps := _by_contender(runs, first=False):
        yield "gaps", figures.waits("Waits between two bursts of text", gaps, f"{name}-gaps", of="gaps", note=OF_GAPS)
    if pair := _typical(comparisons):
        replies = {run.contender: run.replies[0] for run in (pair.plain, pair.drafting)}
        yield "rounds", figures.rounds(replies, f"{name}-rounds")


def _by_contender(runs: Sequence[Run], *, first: bool) -> dict[str, list[float]]:
    """Every wait for the first text, or every gap, of those who had one."""
    found: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for reply in run.replies:
            if reply.times:
                found[run.contender] += [reply.first] if first else reply.gaps
    return {contender: waits for contender, waits in found.items() if waits}


def _widths(report: BenchReport, cell: Cell, comparisons: Sequence[Comparison], name: str) -> Iterator[tuple[str, Drawing]]:
    """Speed-up by width, where contenders differ in nothing else and at least two have one that is told."""
    spots = [_spot(one) for one in comparisons if WIDTH.search(one.drafting) and one.speed_up]
    ways = [spot.name for spot in spots]
    if not any(ways.count(way) > 1 for way in ways):
        return
    curves: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for found in report.predictions:
        if (found.workload, found.temperature) == (cell.workload, cell.temperature) and (width := WIDTH.search(found.contender)):
            curves[WIDTH.sub("", found.contender)].append((int(width[1]), found.whole.predicted))
    yield "widths", figures.by_width(spots, {label: sorted(curve) for label, curve in curves.items()}, name)


def _spot(one: Comparison) -> figures.Spot:
    width, told = WIDTH.search(one.drafting), _told(one.speed_up)
    assert width, "only a contender of a fixed width has a place"
    assert told, "what is not told is not drawn"
    return figures.Spot(WIDTH.sub("", one.drafting), int(width[1]), *told)


def _typical(comparisons: Sequence[Comparison]) -> Pair | None:
    """Of the contender that gains most, the pair whose ratio is the median; none where nothing is told or no rounds are."""
    for one in sorted((one for one in comparisons if one.speed_up), key=lambda one: -one.speed_up.value if one.speed_up else 0.0):
        told = [pair for pair in one.pairs if all(reply.times for run in pair for reply in run.replies) and pair.drafting.replies[0].rounds]
        if told:
            middle = median(pair.ratio for pair in told)
            return min(told, key=lambda pair: abs(pair.ratio - middle))
    return None


def _of_service(report: BenchReport, runs: Sequence[Run], name: str) -> Iterator[tuple[str, Drawing]]:
    rates: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if run.tokens and run.seconds > 0:
            rates[run.contender][run.slots].append(run.tokens / run.seconds)
    if rates:
        yield "slots", figures.by_slots(rates, f"{name}-slots")


def _of_tail(report: BenchReport, runs: Sequence[Run], name: str) -> Iterator[tuple[str, Drawing]]:
    distrusted = {(one.contender, one.cell) for one in report.tails if one.reason}
    for rate in sorted({run.rate for run in runs}):
        told = [run for run in runs if run.rate == rate and (run.contender, cell_of(run)) not in distrusted]
        if first := _by_contender(told, first=True):
            place = f"{rate:g}".replace(".", "-").replace("+", "")
            title = f"Waits for the first text, {rate:g} requests a second"
            yield f"rate-{place}", figures.waits(title, first, f"{name}-rate-{place}", of="requests")
