"""What a pass costs by the number of its rows: measured, since it is a staircase that no formula knows."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from time import perf_counter

import numpy as np

from draftproof.errors import BadRequest
from draftproof.models.protocol import Block, Model
from draftproof.shapes import Array

WIDTHS = (1, 2, 4, 8, 16, 32)
"""Rows at which a pass is timed of a model that does not fill its passes: close where the steps of small widths lie."""


READ_AT = 16
"""Rows of the pass that is also timed with one row read, of a model that fills its passes."""


def filled(rows: int, steps: Sequence[int]) -> int:
    """The rows of a pass that is filled up to the next of `steps`; beyond the last it has what it has."""
    return next((step for step in steps if step >= rows), rows)


@dataclass(frozen=True)
class PassCost:
    """The milliseconds of one pass of a model.

    Attributes:
        measured: (rows, milliseconds), at two or more numbers of rows in rising order. Between them the cost is a line; where
            it seems to fall the most so far is taken, so that it never falls; beyond the last it rises as it did on the whole.
        least_rows: the fewest rows that the model runs for a sequence, whatever is asked.
        steps: the numbers of rows that a pass is filled up to; see `filled`.
        change_ms: what a pass takes more when the one before was filled up to another of them.
        read_share: the part of a pass, as it was timed, that grows with the rows whose logits are asked for, not with all; every row's
            were when the passes were timed.

    Raises:
        BadRequest: fewer than two numbers of rows, not in order, or a time that is not positive.
    """

    measured: tuple[tuple[int, float], ...]
    least_rows: int = 1
    steps: tuple[int, ...] = ()
    change_ms: float = 0.0
    read_share: float = 0.0

    def __post_init__(self) -> None:
        rows, times = [rows for rows, _ in self.measured], [ms for _, ms in self.measured]
        if len(rows) < 2 or rows[0] < 1 or rows != sorted(set(rows)) or not min(times) > 0:
            raise BadRequest(
                f"the measured cost is {self.measured}; give (rows, milliseconds) at two or more rising numbers of rows, all positive"
            )
        if self.least_rows < 1:
            raise BadRequest(f"least_rows is {self.least_rows}; a pass has at least one row a sequence")

    def ms(self, rows: Sequence[int]) -> float:
        """The milliseconds of a pass that gives each sequence so many rows."""
        return self.total_ms(sum(max(count, self.least_rows) for count in rows), sum(rows))

    def total_ms(self, rows: int, read: int | None = None) -> float:
        """The milliseconds of a pass of so many rows in all, of which so many are read; all by default."""
        ms = self._timed_ms(rows)
        return ms if read is None else ms - self.read_share * (ms - self._timed_ms(min(self.step(read), rows)))

    def _timed_ms(self, rows: int) -> float:
        last = len(self._by_rows) - 1
        return self._by_rows[rows] if rows <= last else self._by_rows[last] + (rows - last) * self._slope

    def step(self, rows: int) -> int:
        """The rows that a pass of so many is filled up to."""
        return self._steps[rows] if rows < len(self._steps) else rows

    @cached_property
    def _by_rows(self) -> list[float]:
        rows, times = zip(*self.measured, strict=True)
        return [float(ms) for ms in np.interp(range(rows[-1] + 1), rows, np.maximum.accumulate(times))]

    @cached_property
    def _steps(self) -> list[int]:
        return [filled(rows, self.steps) for rows in range(max(self.steps, default=0) + 1)]

    @cached_property
    def _slope(self) -> float:
        (first, last) = self.measured[0][0], self.measured[-1][0]
        return (self._by_rows[last] - self._by_rows[first]) / (last - first)


def measure(
    model: Model,
    *,
    settle: Callable[[Array], object] = lambda rows: float(rows[-1, 0]),
    widths: Sequence[int] = (),
    context_tokens: int = 64,
    repeats: int = 5,
    clock: Callable[[], float] = perf_counter,
) -> PassCost:
    """The cost of a pass, each the median of `repeats` times; a first try of every width is not counted.

    The widths take turns, so that what disturbs the machine for a while disturbs them alike. It is run on a cache of its
    own, which is rolled back after every pass. Of a model that fills its passes each width is run twice in a row: what the first
    takes longer is the change. Some of its rows are not read, so a pass of which one row is read is timed too. A width that, filled
    up, does not fit into the context beside a token of text is left out.

    Args:
        settle: what is done with the rows of logits, and timed with the pass; by default a number is asked for, since a device
            may still be at work until then.
        widths: rows of the timed passes; by default all to which the model fills its passes, or `WIDTHS`.
        context_tokens: what the cache holds when a pass begins; fewer if the model reads no more.
        clock: seconds.

    Raises:
        BadRequest: the context is too short for two widths, or for the only one.
    """
    least_rows, steps = getattr(model, "least_rows", 1), getattr(model, "row_steps", ())
    room = int(getattr(model, "context_length", sys.maxsize))
    asked = sorted({filled(max(width, least_rows), steps) for width in widths or steps or WIDTHS})
    timed = [rows for rows in asked if rows < room]
    if len(timed) < min(2, len(asked)):
        raise BadRequest(
            f"the model's context of {room} tokens is too short to measure passes: two widths, of {asked[0]} rows or more, must fit beside "
            "a token of text; take a model with a longer context"
        )
    context_tokens = max(1, min(context_tokens, room - timed[-1]))
    cache = model.start()
    model.extend([cache], [Block([place % model.vocab for place in range(context_tokens)])])
    times: dict[int, list[float]] = {rows: [] for rows in timed}
    changes = [0.0]
    read_one: list[float] = []

    def timed_ms(rows: int, read: int) -> float:
        started = clock()
        settle(model.extend([cache], [Block([0] * (1 + rows - read), [0] * (read - 1), range(read - 1))])[0])
        ended = clock()
        cache.truncate(context_tokens)
        return 1000 * (ended - started)

    for turn in range(repeats + 1):
        for rows in timed:
            first_ms = timed_ms(rows, rows)
            ms = timed_ms(rows, rows) if steps else first_ms
            if turn:
                times[rows].append(ms)
                changes.append(first_ms - ms)
            if turn and steps and rows == READ_AT:
                read_one.append(timed_ms(rows, 1))
    by_rows = {rows: median(times[rows]) for rows in timed}
    for rows in timed:  # a step is as high at its beginning
        by_rows.setdefault(max([least_rows, *(step + 1 for step in steps if step < rows)]), by_rows[rows])
    grown = by_rows[READ_AT] - by_rows[timed[0]] if read_one else 0.0
    read_share = min(max((by_rows[READ_AT] - median(read_one)) / grown, 0.0), 1.0) if grown > 0 else 0.0
    return PassCost(tuple(sorted(by_rows.items())), least_rows, tuple(steps), max(median(changes), 0.0), read_share)
