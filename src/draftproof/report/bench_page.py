"""A benchmark as one HTML page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from draftproof.report.bench import BenchReport, facts, not_shown, parted
from draftproof.report.bench_lines import BEST
from draftproof.report.bench_pictures import Picture, pictures
from draftproof.report.bench_tables import Table
from draftproof.report.frame import marked, template, write_text


def bench_page(report: BenchReport, drawn: Sequence[Picture] | None = None) -> str:
    """The text of the page.

    Args:
        drawn: the pictures, if they were made already.

    Raises:
        Unsupported: jinja2 or matplotlib is not installed.
    """
    drawn = pictures(report) if drawn is None else drawn
    return template("bench_page.html.jinja").render(
        report=report,
        facts=list(facts(report)),
        tables=[_table(table, drawn) for table in report.tables],
        predictions=[(one, list(parted(one))) for one in report.predictions],
        not_shown=not_shown(report),
        best=BEST,
    )


def write(file: Path, report: BenchReport, drawn: Sequence[Picture] | None = None) -> None:
    """Write the page to a file.

    Raises:
        BadRequest: it cannot be written.
        Unsupported: jinja2 or matplotlib is not installed.
    """
    write_text(file, bench_page(report, drawn))


def _table(table: Table, drawn: Sequence[Picture]) -> dict[str, Any]:
    sections = [{"section": one, "drawings": _drawings(table, (one.workload, one.temperature), drawn)} for one in table.sections]
    return {"table": table, "drawings": _drawings(table, None, drawn), "sections": sections}


def _drawings(table: Table, section: tuple[str, float] | None, drawn: Sequence[Picture]) -> list[dict[str, Any]]:
    return marked([one.drawing for one in drawn if (one.table, one.section) == (table.kind, section)])
