"""Where a run stands in the tables: only runs of one cell are held against each other."""

from typing import NamedTuple

from draftproof.bench.run import Run

ONE, SERVICE, TAIL = "one", "service", "tail"
"""The three tables. What is said in one is not said in another."""


class Cell(NamedTuple):
    """What was asked, whoever answered.

    Attributes:
        table: `one`, `service` or `tail`.
        workload: its name.
        temperature: of sampling.
        slots: orders served at once at most.
        rate: arrivals a second; 0 where all arrive at the start.
    """

    table: str
    workload: str
    temperature: float
    slots: int = 1
    rate: float = 0.0


def cell_of(run: Run) -> Cell:
    return Cell(run.table, run.workload, run.temperature, run.slots, run.rate)
