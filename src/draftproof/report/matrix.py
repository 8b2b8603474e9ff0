"""A matrix of configurations as a report: lines for a reader, a document for a program, cases for JUnit, one exit code."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from draftproof.proof.campaign import Word
from draftproof.proof.generation.result import Result, Verdict
from draftproof.report.junit import Case
from draftproof.report.text import Indented, printable
from draftproof.report.verdicts import EXITS, STYLES, Ended, Exit, exit_of, worst_of


@dataclass
class MatrixReport:
    """The results so far.

    Attributes:
        total: configurations that were to be proved.
        ended: how the run ended.
        seconds: wall-clock time of this run; results that were kept from an earlier one took their own.
    """

    total: int
    results: list[Result] = field(default_factory=list)
    ended: Ended = Ended.COMPLETE
    seconds: float = 0.0

    @property
    def word(self) -> Word:
        """The worst word; a deviation that the library declares does not count."""
        return worst_of({result.word for result in self.results if not (result.declared_lossy and result.word is Word.FAIL)}, self.ended)

    @property
    def exit(self) -> Exit:
        """The exit code of a command that ends with this report. An error is the library's, not ours."""
        return exit_of(self.word, self.ended, EXITS | {Word.ERROR: Exit.FAIL})


def result_lines(result: Result, *, name_width: int, with_reproduction: bool = True) -> Iterator[Text | Indented]:
    """A line with the verdict and, where there is more to say, lines below it."""
    yield Text.assemble(
        (f"{result.word:<12}", STYLES[result.word]),
        f"  {result.name:<{name_width}}  {result.paths:>6,} paths  {result.seconds:>6.1f} s{_numbers(result)}",
    )
    if result.verdict.word is Word.FAIL:
        declared = ", as the library declares" if result.declared_lossy else ""
        yield Indented(Text(printable(f"assisted against plain{declared}: {_worst(result.verdict)}")), 4)
    if result.documented.word is Word.FAIL:
        yield Indented(Text(printable(f"plain against documented: {_worst(result.documented)}")), 4)
    if result.contradicted:
        yield Indented(Text("the independent run contradicts the proof; this verdict is not to be relied on"), 4)
    for line in (result.reason, result.confirmed and f"independent run: {result.confirmed}"):
        if line:
            yield Indented(Text(printable(line)), 4)
    if with_reproduction and not result.declared_lossy:
        yield from (Indented(Text(printable(line)), 6) for line in result.reproduction.splitlines())


def closing(report: MatrixReport) -> Iterator[Text]:
    """The verdict on all of it."""
    counts = Counter(result.word for result in report.results)
    tally = ", ".join(f"{counts[word]} {word}" for word in Word if counts[word])
    of_all = "" if len(report.results) == report.total else f" of {report.total}"
    paths = sum(result.paths + result.plain_paths for result in report.results)
    yield Text.assemble(
        (f"{report.word}", STYLES[report.word]),
        f"  {len(report.results)}{of_all} configurations{': ' * bool(tally)}{tally}; {paths:,} paths in {report.seconds:.0f} s",
    )
    versions = next((result.versions for result in report.results), {})
    if versions:
        yield Text("With " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".")
    if report.ended is not Ended.COMPLETE:
        yield Text(f"{report.ended.capitalize()} before the end: what is not listed was not proved.")
    elif report.word is Word.PASS:
        yield Text(
            "Evidence: law, on models of three tokens and texts of a few. The library computes in float32, so a difference that "
            "rounding explains passes; the largest such difference stands in each line."
        )


def matrix_content(report: MatrixReport) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "evidence": "law",
        "word": report.word,
        "exit_code": int(report.exit),
        "ended": report.ended,
        "total": report.total,
        "results": [result.content() for result in report.results],
        "seconds": report.seconds,
    }


def cases(report: MatrixReport) -> list[Case]:
    """One case a configuration."""
    return [Case(result.name, result.word, result.seconds, _message(result), result.reproduction) for result in report.results]


def _message(result: Result) -> str:
    if result.verdict.word is Word.FAIL:
        return _worst(result.verdict)
    return _worst(result.documented) if result.documented.word is Word.FAIL else result.reason


def _numbers(result: Result) -> str:
    if result.word in (Word.SKIPPED, Word.ERROR):
        return ""
    return f"  TV {result.verdict.distance:.2e} (rounding explains {result.verdict.explained:.0e})"


def _worst(verdict: Verdict) -> str:
    return f"TV {verdict.distance:.4g}; {verdict.worst} has {float(verdict.observed):.6f} and should have {float(verdict.expected):.6f}"
