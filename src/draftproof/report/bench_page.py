"""A benchmark as one HTML page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from draftproof.report.bench import BenchReport, facts, not_shown, parted
from draftproof.report.bench_lines import BEST
from draftproof.report.bench_pictures import Picture, pictures
from draftproof.report.bench_tables import Section, Table
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
        tables=[{"table": table, "sections": [_section(table, one, drawn) for one in table.sections]} for table in report.tables],
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


def _section(table: Table, section: Section, drawn: Sequence[Picture]) -> dict[str, Any]:
    place = (table.kind, section.workload, section.temperature)
    here = [one.drawing for one in drawn if (one.table, one.workload, one.temperature) == place]
    return {"section": section, "drawings": marked(here)}
