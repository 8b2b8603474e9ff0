"""A campaign of checks as a report: lines for a reader, a document for a program, and one exit code."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import IntEnum, StrEnum
from typing import Any

from rich.text import Text

from draftproof.proof.campaign import Check, Settings, Word
from draftproof.report.numbers import number, written
from draftproof.report.text import Indented, printable


class Exit(IntEnum):
    """What an exit code of the command line means."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    INCONCLUSIVE = 3
    UNREACHABLE = 4
    NOTHING_TESTED = 5
    CRASH = 70
    INTERRUPTED = 130


class Ended(StrEnum):
    """How a campaign ended."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    CRASHED = "crashed"


STYLES = {Word.PASS: "green", Word.FAIL: "red", Word.INCONCLUSIVE: "yellow", Word.SKIPPED: "yellow", Word.ERROR: "red"}

EXITS = {Word.FAIL: Exit.FAIL, Word.ERROR: Exit.CRASH, Word.INCONCLUSIVE: Exit.INCONCLUSIVE, Word.PASS: Exit.PASS}
"""The exit code of each word, the worst word first. Nothing was tested where every word is SKIPPED."""


def worst_of(words: Collection[Word], ended: Ended) -> Word:
    """The worst word of a campaign; one that did not finish passes nothing."""
    worst = next((word for word in EXITS if word in words), Word.SKIPPED)
    return Word.INCONCLUSIVE if worst is Word.PASS and ended is not Ended.COMPLETE else worst


def exit_of(word: Word, ended: Ended, exits: Mapping[Word, Exit] = EXITS) -> Exit:
    """The exit code of a command that ends with a campaign."""
    early = {Ended.INTERRUPTED: Exit.INTERRUPTED, Ended.CRASHED: Exit.CRASH}
    return early[ended] if ended in early else exits.get(word, Exit.NOTHING_TESTED)


@dataclass
class Report:
    """The checks of a campaign so far.

    Attributes:
        rules: the names of the rules that were to be proved, in order.
        settings: how much was enumerated.
        checks: what has finished.
        ended: how the campaign ended.
        seconds: wall-clock time of the whole campaign.
        stopped_at: the rule at which a campaign stands or stopped; None before the first and after the last.
    """

    rules: Sequence[str]
    settings: Settings
    checks: list[Check] = field(default_factory=list)
    ended: Ended = Ended.COMPLETE
    seconds: float = 0.0
    stopped_at: str | None = None

    @property
    def paths(self) -> int:
        """Drafts and rounds enumerated by all checks together."""
        return sum(check.paths for check in self.checks)

    @property
    def word(self) -> Word:
        """The worst word among the checks."""
        return worst_of({check.word for check in self.checks}, self.ended)

    @property
    def exit(self) -> Exit:
        """The exit code of a command that ends with this report."""
        return exit_of(self.word, self.ended)


def opening(report: Report) -> Text:
    """What is about to be proved."""
    enumerated = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(report.settings).items())
    return Text(f"Proving {_count(len(report.rules), 'rule')} in fractions: {enumerated}")


def verdict_lines(check: Check, *, name_width: int) -> list[Text | Indented]:
    """A line with the verdict and, below it, how far the laws are apart and what was covered."""
    head = Text.assemble(
        (f"{check.word:<4}", STYLES[check.word]),
        f"  {check.rule:<{name_width}}  {check.subject:<23}  {_count(check.paths, 'path'):>13}  {_duration(check.seconds):>7}",
    )
    return [head, Indented(Text(printable(f"distance {written(check.distance)}: {check.detail}")), 6)]


def closing(report: Report) -> list[Text]:
    """The verdict on all of it."""
    counts = Counter(check.word for check in report.checks)
    tally = ", ".join(f"{counts[word]} {word}" for word in Word if counts[word])
    proved = len({check.rule for check in report.checks} - {report.stopped_at})
    of_all = "" if proved == len(report.rules) else f" of {len(report.rules)}"
    lines = [
        Text.assemble(
            (f"{report.word}", STYLES[report.word]),
            f"  {proved}{of_all} {'rule' if len(report.rules) == 1 else 'rules'}, {_count(len(report.checks), 'check')}"
            f"{': ' * bool(tally)}{tally}; {_count(report.paths, 'path')} in {_duration(report.seconds)}",
        )
    ]
    if report.ended is not Ended.COMPLETE:
        lines.append(Text(f"{report.ended.capitalize()} before the end: what is not listed was not proved."))
    elif report.word is Word.PASS:
        lines.append(
            Text(
                "Evidence: law. Every outcome was enumerated and fractions were compared, so on these tables the error rate is 0 "
                "and a difference of any size would have failed. The caches of real models, float arithmetic and speed were not tested."
            )
        )
    elif report.word is Word.SKIPPED:
        lines.append(Text("Nothing was tested."))
    return lines


def report_content(report: Report) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "evidence": "law",
        "word": report.word,
        "exit_code": int(report.exit),
        "ended": report.ended,
        "stopped_at": report.stopped_at,
        "settings": {"rules": list(report.rules), **asdict(report.settings)},
        "checks": [{**check._asdict(), "distance": number(check.distance)} for check in report.checks],
        "paths": report.paths,
        "seconds": report.seconds,
    }


def _count(amount: int, noun: str) -> str:
    return f"{amount:,} {noun}{'s' * (amount != 1)}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.2f} s"
    return f"{int(seconds) // 60}m {int(seconds) % 60:02}s"
