"""Whether a contender did work faster because it had done it before.

Repeats are there to see noise, and cells ask the same prompts again. To an engine that keeps texts or prompts they are work that is done.
Such an engine is measured as nobody will meet it, so none of its speed-ups on a workload is told, in whatever cell its memory shows.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import NamedTuple

from scipy.stats import norm

from draftproof.bench.cell import Cell, cell_of
from draftproof.bench.noise import equal_work, noise
from draftproof.bench.run import Reply, Run

REMEMBERED = 0.1
"""The part of a text by which more of it may come from drafts when it is written again. A controller of widths that is still learning
moves it by less; an engine that drafts from what it wrote before moves it by most of what was not drafted at first."""

HASTENED = 1.1
"""How many times as long the first time may take. What a machine is slower by at first is less after a warm-up."""

FALSE_ALARM = 0.01
"""How probably an engine that remembers nothing is taken for one that does, on one workload. The noise of a whole repeat is the same for
all its prompts, so a first time must stand out as one run would, and the more so the more cells there are in which one may."""


def remembered(runs: Iterable[Run]) -> str:
    """What shows that a contender had done its work before, a clause without a full stop; empty if nothing does.

    Args:
        runs: all those of one contender on one workload in a sitting, of whatever table.
    """
    ordered = sorted(runs, key=lambda run: run.turn)
    cells: dict[Cell, list[Run]] = defaultdict(list)
    for run in ordered:
        cells[cell_of(run)].append(run)
    found = (_more_drafted(cell, ordered) for cell in cells)
    return next(filter(None, found), "") or _hastened(list(cells.values()))


def _more_drafted(cell: Cell, runs: Sequence[Run]) -> str:
    """The texts of a cell against the first time that they were written, in this cell or another.

    Drafts grow narrower with the number of slots. So what was written at more of them is no measure.
    """
    first: dict[Hashable, Reply] = {}
    tokens, before, after, told = 0, 0, 0, True
    for run in runs:
        if run.temperature != cell.temperature or run.slots > cell.slots:
            continue
        for reply in run.replies:
            once = first.setdefault(_text(run, reply), reply)
            if reply.tokens and once is not reply and cell_of(run) == cell:
                tokens, before, after = tokens + reply.tokens, before + _from_drafts(once), after + _from_drafts(reply)
                told = told and reply.accepted is not None
    if after - before <= REMEMBERED * tokens:
        return ""
    came = "came from drafts" if told else "came along with an earlier token"
    return (
        f"of the same texts {before / tokens:.0%} {came} at first and {after / tokens:.0%} when {runs[0].contender} wrote them again: "
        "it drafts from what it wrote before"
    )


def _text(run: Run, reply: Reply) -> Hashable:
    """What was written. Bursts depend on who is served beside it, so those of other cells are other texts."""
    return reply.place, reply.digest, cell_of(run) if reply.accepted is None else None


def _from_drafts(reply: Reply) -> int:
    """Tokens; of a silent engine those that came in one burst with an earlier one."""
    return max(0, reply.tokens - len(reply.times)) if reply.accepted is None else reply.accepted


def _hastened(cells: Sequence[Sequence[Run]]) -> str:
    """The runs of each cell against the first one of equal work."""
    firsts, compared = list[_First](), list[Run]()
    for runs in cells:
        works: dict[Hashable, list[Run]] = defaultdict(list)
        for run in runs:
            if run.tokens and run.seconds > 0:
                works[equal_work(run)].append(run)
        again = [(first, later) for first, *later in works.values() if later]
        if again:
            slower = median(first.seconds / median(run.seconds for run in later) for first, later in again)
            firsts.append(_First(slower, min(len(later) for _, later in again)))
            compared += [replace(first, seconds=first.seconds / slower) for first, _ in again]
            compared += [run for _, later in again for run in later]
    varied = noise(compared) or 0.0
    deviations = float(norm.isf(FALSE_ALARM / max(len(firsts), 1)))
    for first in firsts:
        if first.slower > max(HASTENED, (1 + varied) ** (deviations * math.sqrt(1 + 1 / first.again))):
            return (
                f"the same work took {cells[0][0].contender} {1 - 1 / first.slower:.0%} less time when it was done again: it was "
                "remembered, or the machine changed"
            )
    return ""


class _First(NamedTuple):
    """In one cell, how many times as long work took when it was done first, and how often it was done again."""

    slower: float
    again: int
