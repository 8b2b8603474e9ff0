"""An audit as one HTML page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from draftproof.audit.check import Check, Kind
from draftproof.proof.campaign import Word
from draftproof.report import figures
from draftproof.report.audit import AuditReport, evidence
from draftproof.report.frame import marked, template, write_text
from draftproof.report.judged import OPINIONS, Judged, opinions, percent, sentences
from draftproof.report.svg import Drawing

MARKS = {Word.PASS: "✓", Word.FAIL: "✕", Word.INCONCLUSIVE: "?", Word.SKIPPED: "–", Word.ERROR: "!"}
"""Beside each word, for those who do not see its colour."""

TONES = {Word.PASS: "good", Word.FAIL: "bad", Word.INCONCLUSIVE: "open", Word.SKIPPED: "open", Word.ERROR: "bad"}

BY_POSITION = {"position", "observed", "drafts"}
"""The values of a check of acceptance that make a picture of it; others are drawn beside them if they are there."""


def page(report: AuditReport) -> str:
    """The text of the page.

    Raises:
        Unsupported: jinja2 or matplotlib is not installed.
    """
    checks = _checks(report.audit.checks)
    return template("page.html.jinja").render(
        report=report,
        facts=report.audit.facts,
        marks=MARKS,
        tones=TONES,
        overview=[_row(one) for one in report.judged],
        conditions=[_condition(one, f"condition-{number}") for number, one in enumerate(report.judged, start=1)],
        checks={
            "law": [entry for entry in checks if entry["check"].kind is Kind.LAW],
            "other": [entry for entry in checks if entry["check"].kind is not Kind.LAW],
        },
        evidence=list(evidence(report)),
        opinions=[(one.name, *(f"{value:.2g}" for value in opinions(one).values())) for one in report.judged if one.tokens],
        opinion_names=OPINIONS,
    )


def write(file: Path, report: AuditReport) -> None:
    """Write the page to a file.

    Raises:
        BadRequest: it cannot be written.
        Unsupported: jinja2 or matplotlib is not installed.
    """
    write_text(file, page(report))


def _row(one: Judged) -> tuple[str, ...]:
    largest = "all" if one.largest is None else percent(one.largest)
    return (one.name, f"{one.tokens:,}", one.e_value, largest, one.watched, one.counted)


def _condition(one: Judged, name: str) -> dict[str, Any]:
    drawings = [figures.shares(one, f"{name}-shares"), figures.evidence(one, f"{name}-evidence")] if one.tokens else []
    return {"judged": one, "name": name, "drawings": marked(drawings), "sentences": list(sentences(one))}


def _checks(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """Every check; where two rest on the same numbers, these are drawn at the first."""
    drawn: list[Any] = []
    found = []
    for number, check in enumerate(checks, start=1):
        numbers = [check.values.get(each) for each in (*sorted(BY_POSITION), "histogram")]
        drawings = [] if numbers in drawn else _acceptance(check, f"check-{number}")
        drawn += [numbers] if drawings else []
        found.append({"check": check, "name": f"check-{number}", "drawings": marked(drawings)})
    return found


def _acceptance(check: Check, name: str) -> list[Drawing]:
    drawings = []
    if check.kind is Kind.ACCEPTANCE and check.values.keys() >= BY_POSITION and check.values["position"]:
        drawings.append(figures.positions(check.values, f"{name}-positions"))
    if check.kind is Kind.ACCEPTANCE and check.values.get("histogram"):
        drawings.append(figures.accepted(check.values, f"{name}-accepted"))
    return drawings
