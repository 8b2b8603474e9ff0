"""An audit as one HTML page that stands alone: no network, no script, light and dark, and on paper.

Whatever a model, an engine or a user said passes one door, `_shown`, and is escaped behind it.
"""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draftproof.audit.check import Check, Kind
from draftproof.errors import BadRequest, Unsupported
from draftproof.proof.campaign import Word
from draftproof.report import figures
from draftproof.report.audit import AuditReport, evidence
from draftproof.report.figures import Drawing
from draftproof.report.judged import OPINIONS, Judged, opinions, percent, sentences
from draftproof.report.text import printable

if TYPE_CHECKING:
    from jinja2 import Template

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
    return _template().render(
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
    text = page(report)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {file}: {error.strerror}") from error


def _template() -> "Template":
    try:
        from jinja2 import Environment, StrictUndefined
    except ModuleNotFoundError as error:
        raise Unsupported("an HTML page needs the package jinja2: pip install jinja2") from error
    source = files("draftproof.report").joinpath("page.html.jinja").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_shown)
    return environment.from_string(source)


def _shown(value: Any) -> Any:
    """Text with its control characters written out. Markup is ours already."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _row(one: Judged) -> tuple[str, ...]:
    largest = "all" if one.largest is None else percent(one.largest)
    return (one.name, f"{one.tokens:,}", one.e_value, largest, one.watched, one.counted)


def _condition(one: Judged, name: str) -> dict[str, Any]:
    drawings = [figures.shares(one, f"{name}-shares"), figures.evidence(one, f"{name}-evidence")] if one.tokens else []
    return {"judged": one, "name": name, "drawings": _marked(drawings), "sentences": list(sentences(one))}


def _checks(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """Every check; where two rest on the same numbers, these are drawn at the first."""
    drawn: list[Any] = []
    found = []
    for number, check in enumerate(checks, start=1):
        numbers = [check.values.get(each) for each in (*sorted(BY_POSITION), "histogram")]
        drawings = [] if numbers in drawn else _acceptance(check, f"check-{number}")
        drawn += [numbers] if drawings else []
        found.append({"check": check, "name": f"check-{number}", "drawings": _marked(drawings)})
    return found


def _acceptance(check: Check, name: str) -> list[Drawing]:
    drawings = []
    if check.kind is Kind.ACCEPTANCE and check.values.keys() >= BY_POSITION and check.values["position"]:
        drawings.append(figures.positions(check.values, f"{name}-positions"))
    if check.kind is Kind.ACCEPTANCE and check.values.get("histogram"):
        drawings.append(figures.accepted(check.values, f"{name}-accepted"))
    return drawings


def _marked(drawings: list[Drawing]) -> list[dict[str, Any]]:
    """Drawings whose SVG, which we made and escaped, is markup to the template."""
    from markupsafe import Markup

    return [drawing._asdict() | {"svg": Markup(drawing.svg)} for drawing in drawings]
