"""Findings as a SARIF 2.1.0 document, which code hosts show beside the line.

Only what a viewer needs is written: the tool with its rules, and for each finding its rule, level, message and place.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from draftproof.lint.engines import RULES
from draftproof.lint.finding import Finding
from draftproof.lint.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Sequence[Finding], *, file: str, version: str) -> dict[str, Any]:
    """The document as JSON values.

    Args:
        file: that was read; empty for arguments of a command, which have no line.
        version: of draftproof.
    """
    used = [rule for rule in RULES if any(finding.rule == rule.name for finding in findings)]
    driver = {"name": "draftproof", "version": version, "rules": [_rule(rule) for rule in used]}
    numbers = {rule.name: number for number, rule in enumerate(used)}
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, numbers[finding.rule], file) for finding in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.title},
        "defaultConfiguration": {"level": rule.level.value},
        "properties": {"reports": list(rule.reports)},
    }


def _result(finding: Finding, number: int, file: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": finding.level.value,
        "message": {"text": finding.message},
    }
    place = finding.place
    if file and not place.argument:
        path = PurePath(file)
        location: dict[str, Any] = {"artifactLocation": {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}}
        location["region"] = {"startLine": place.line or 1, "startColumn": place.column or 1}
        result["locations"] = [{"physicalLocation": location}]
    elif place.argument:
        result["locations"] = [{"logicalLocations": [{"name": f"argument {place.argument}"}]}]
    return result
