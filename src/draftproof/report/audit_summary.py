"""An audit as Markdown, for a comment of continuous integration."""

import re
from collections.abc import Iterator

from draftproof.proof.campaign import Word
from draftproof.report.audit import AuditReport, evidence
from draftproof.report.judged import percent
from draftproof.report.text import printable

SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#|~:&!$^])")
"""What Markdown, or a site that shows it, might take for more than text: emphasis, links, addresses, code, tables, markup, formulas."""

MARKS = {Word.PASS: "✅", Word.FAIL: "❌", Word.INCONCLUSIVE: "❔", Word.SKIPPED: "⏭️", Word.ERROR: "⚠️"}


def summary(report: AuditReport) -> str:
    """The text of `summary.md`."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: AuditReport) -> Iterator[str]:
    yield f"## {MARKS[report.word]} {report.word}: {escaped(report.audit.facts.name)}"
    yield from ("", escaped(report.headline), "")
    yield from (f"- **{what}**: {escaped(said)}" for what, said in evidence(report))
    if report.judged:
        yield from ("", "### Law", "")
        yield "| | condition | tokens | e-value | largest share not excluded | drafted tokens |"
        yield "|---|---|--:|--:|--:|--:|"
        for one in report.judged:
            largest = "all" if one.largest is None else percent(one.largest)
            cells = (f"{MARKS[one.word]} {one.word}", one.name, f"{one.tokens:,}", one.e_value, largest, one.counted)
            yield "| " + " | ".join(map(escaped, cells)) + " |"
        yield ""
        yield from (f"- **{escaped(one.name)}**: {escaped(one.reason)}" for one in report.judged)
    if report.audit.checks:
        yield from ("", "### Checks", "")
        yield from (
            f"- {MARKS[check.word]} {check.word}, {check.kind}: **{escaped(check.name)}**: {escaped(check.sentence)}"
            for check in report.audit.checks
        )
    yield from ("", "<details><summary>What this audit could not see</summary>", "")
    yield from (f"- {escaped(spot)}" for spot in report.blind_spots)
    yield from ("", "</details>", "", "<details><summary>Environment and command</summary>", "")
    versions = ", ".join(f"{name} {version}" for name, version in report.environment.versions.items())
    yield f"- {escaped(versions)}; {escaped(report.environment.machine)}; {escaped(report.environment.date)}"
    yield f"- raw data: {f'sha256 {report.raw}' if report.raw else 'not kept'}"
    command = printable(report.command_line)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", command)), default=0))
    yield from ("", f"{fence}text", command, fence, "", "</details>")


LIST = re.compile(r"^(\d*)([-+=.)])")
"""What, at the beginning of a line, might be taken for an item of a list, or for a heading's underline."""


def escaped(text: str) -> str:
    """The text, in which nothing is taken for Markdown, an address or the name of a person."""
    shown = LIST.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", printable(text)))
    # A word joiner is not seen, and behind it no name is a mention; "www." would become a link by itself.
    return re.sub(r"(?i)www\.", r"www\\.", shown.replace("@", "@\u2060"))
