"""A benchmark as lines for a reader: what it is evidence of, the three tables, the cost model beside them, and what is not shown."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from draftproof.bench.cell import SERVICE, TAIL
from draftproof.report.bench import BenchReport, facts, not_shown, parted
from draftproof.report.bench_tables import NAMES, Row, Section, Table, estimated
from draftproof.report.text import Indented, printable

LONGEST_NAME = 48
"""Cells of a name in a table; the page has it whole."""

BEST = "*"

INDENT = 4


def bench_lines(report: BenchReport) -> Iterator[RenderableType]:
    """All of it."""
    yield Text(printable(report.title[:1].upper() + report.title[1:]), style="bold")
    yield from (_below(f"{what}: {said}") for what, said in facts(report))
    for table in report.tables:
        yield from table_lines(table)
    yield from _withdrawals(report)
    yield from prediction_lines(report)
    yield from closing(report)


def speed_up_lines(report: BenchReport) -> Iterator[RenderableType]:
    """Every speed-up, or why it is not told; of the tail, which knows none, what was good."""
    for one in report.comparisons:
        at_once = f", {one.cell.slots} at once" if one.cell.table == SERVICE else ""
        where = f"{NAMES[one.cell.table]}: {one.cell.workload}, temperature {one.cell.temperature:g}{at_once}: {one.drafting}"
        if one.speed_up:
            yield Text(printable(f"{where}: {estimated(one.speed_up, digits=2).text}"))
        else:
            yield Text.assemble(printable(f"{where}: "), ("refused", "yellow"), printable(f": {'; '.join(one.refusals)}"))
    for found in report.tails:
        where = (
            f"{NAMES[TAIL]}: {found.cell.workload}, temperature {found.cell.temperature:g}, {found.cell.rate:g} a second: {found.contender}"
        )
        yield Text(printable(f"{where}: {found.goodput:.2f} good requests a second"))
    if report.recorded.end is None:
        yield Text("The sitting did not come to its end: what is not listed was not measured.", style="yellow")


def table_lines(table: Table) -> Iterator[RenderableType]:
    """One of the three tables, with how to read it."""
    yield Text("")
    yield Text.assemble((table.name, "bold"), f": {table.asked}")
    yield _below(f"{table.note} {BEST} is the best of its column.")
    for section in table.sections:
        yield from _section_lines(table.header, section)


def _section_lines(header: Sequence[str], section: Section) -> Iterator[RenderableType]:
    yield Text("")
    yield Text(f"  {printable(section.name)}", style="bold")
    yield Cells(header, section.rows)
    yield from map(_below, section.remarks)


class Cells:
    """Rows below a header; where the console is too narrow for that, each as a sentence of its own."""

    def __init__(self, header: Sequence[str], rows: Sequence[Row]) -> None:
        self.header, self.rows = header, rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        cells = [[_short(row.cells[0]), *(_marked(row, place) for place in range(1, len(self.header)))] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(self.header, *cells, strict=True)]
        aligned = options.no_wrap or INDENT + sum(widths) + 2 * (len(widths) - 1) <= options.max_width
        if aligned:
            yield Indented(Text(_aligned(self.header, widths), style="dim"), INDENT)
        for row, one in zip(self.rows, cells, strict=True):
            yield Indented(Text(_aligned(one, widths) if aligned else _told(self.header, one)), INDENT)
            if row.refusals:
                yield Indented(Text.assemble(("no speed-up: ", "yellow"), printable("; ".join(row.refusals))), INDENT + 2)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The name to the left, all else to the right."""
    first, *others = zip(cells, widths, strict=True)
    return "  ".join([f"{first[0]:<{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)]).rstrip()


def _told(header: Sequence[str], cells: Sequence[str]) -> str:
    return f"{cells[0]}: " + ", ".join(f"{name} {cell.strip()}" for name, cell in zip(header[1:], cells[1:], strict=True) if cell)


def _marked(row: Row, place: int) -> str:
    """Every cell has room for a mark, so that numbers stand below each other."""
    cell = printable(row.cells[place])
    return f"{cell}{BEST if place in row.best else ' '}" if cell else ""


def _withdrawals(report: BenchReport) -> Iterator[RenderableType]:
    if report.recorded.withdrawn:
        yield Text("")
        yield Text("Not measured", style="bold")
    for one in report.recorded.withdrawn:
        yield _below(f"{one.contender}, {one.cell.table}, {one.cell.workload}, temperature {one.cell.temperature:g}: {one.reason}")


def prediction_lines(report: BenchReport) -> Iterator[RenderableType]:
    """The cost model beside what was observed, of one request; or why it is not."""
    if report.predictions or report.unpredicted:
        yield Text("")
        yield Text.assemble(("Predicted and observed", "bold"), ": what do the measured costs of passes say of one request?")
    for found in report.predictions:
        yield Indented(Text(printable(f"{found.contender}; {found.workload}, temperature {found.temperature:g}")), 2)
        yield from map(_below, parted(found))
    yield from map(_below, report.unpredicted)


def closing(report: BenchReport) -> Iterator[RenderableType]:
    """What is not shown, and how to measure it again."""
    yield Text("")
    yield Text("What these numbers do not show", style="bold")
    yield from map(_below, not_shown(report))
    yield Text("")
    versions = ", ".join(f"{name} {version}" for name, version in report.head.versions)
    took = "" if report.seconds is None else f" in {report.seconds:.0f} s"
    yield Text(printable(f"Measured {report.head.started}{took} with {versions}"))
    yield Text(printable(f"Run again: {report.head.command}"))
    if report.raw:
        yield Text(f"Raw data: sha256 {report.raw}")


def _short(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + "…"


def _below(sentence: str) -> Indented:
    return Indented(Text(printable(sentence)), 4)
