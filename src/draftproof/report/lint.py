"""What was found in a configuration, as lines for a reader and as JSON values."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from draftproof.lint.finding import Finding, Level
from draftproof.lint.settings import Settings
from draftproof.report.text import Indented, printable

STYLES = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.NOTE: "cyan"}


def finding_lines(finding: Finding, source: str) -> Iterator[Text | Indented]:
    """A finding: its level, place and rule, then what is so and what to do."""
    place = finding.place
    where = f"{source}:{place.line}:{place.column}" if place.line else str(place) if place.argument else source
    yield Text.assemble((f"{finding.level:<7}  ", STYLES[finding.level]), printable(where), f"  {finding.rule}")
    yield Indented(Text(printable(finding.what)), 4)
    yield Indented(Text(printable(finding.do)), 4)
    if finding.reports:
        yield Indented(Text(f"reported as {', '.join(finding.reports)}"), 4)


def summary(findings: Sequence[Finding], settings: Settings) -> Text:
    """How much was found, and as what it was judged."""
    counts = Counter(finding.level for finding in findings)
    found = ", ".join(_number(counts[level], level) for level in Level if counts[level]) or "nothing found"
    return Text(f"{found}; {_number(len(settings.options), 'option')}, judged as {settings.engine} {settings.judged_as}")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def lint_content(findings: Sequence[Finding], settings: Settings, source: str) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "source": source,
        "engine": settings.engine,
        "version": settings.version or None,
        "judged_as": settings.judged_as,
        "options": len(settings.options),
        "findings": [
            {
                "rule": finding.rule,
                "level": finding.level.value,
                "what": finding.what,
                "do": finding.do,
                "line": finding.place.line or None,
                "column": finding.place.column or None,
                "argument": finding.place.argument or None,
                "reports": list(finding.reports),
            }
            for finding in findings
        ],
    }
