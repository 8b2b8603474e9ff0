"""Checks as a JUnit document, which continuous integration shows case by case."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.report.text import printable

TAGS = {Word.FAIL: "failure", Word.INCONCLUSIVE: "failure", Word.SKIPPED: "skipped", Word.ERROR: "error"}
"""What stands in a case that did not pass. The format has no word for inconclusive; it must not look like a pass."""


class Case(NamedTuple):
    """One check.

    Attributes:
        name: of what was checked.
        word: its verdict.
        seconds: that it took.
        message: one line, for a case that did not pass.
        text: all there is to say.
    """

    name: str
    word: Word
    seconds: float = 0.0
    message: str = ""
    text: str = ""


def junit(suite: str, cases: Sequence[Case]) -> str:
    """The text of the document. Characters that XML cannot hold stand as their escapes."""
    counts = {tag: sum(TAGS.get(case.word) == tag for case in cases) for tag in ("failure", "error", "skipped")}
    totals = {
        "name": printable(suite),
        "tests": str(len(cases)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    root = ElementTree.Element("testsuites")
    parent = ElementTree.SubElement(root, "testsuite", totals)
    for case in cases:
        one = ElementTree.SubElement(
            parent, "testcase", {"classname": printable(suite), "name": printable(case.name), "time": f"{case.seconds:.3f}"}
        )
        if case.word in TAGS:
            detail = ElementTree.SubElement(one, TAGS[case.word], {"message": printable(case.message)})
            if case.word is not Word.SKIPPED:
                detail.set("type", case.word.value)
            detail.text = "\n".join(printable(line) for line in case.text.splitlines())
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n"


def write(file: Path, suite: str, cases: Sequence[Case]) -> None:
    """Write the document to a file.

    Raises:
        BadRequest: it cannot be written.
    """
    try:
        file.write_text(junit(suite, cases), encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {file}: {error.strerror}") from error
