"""An audit as a report: lines for a reader, one word and one exit code.

Other forms of the same stand in `audit_values`, `audit_summary` and `page`.
"""

import hashlib
import importlib.metadata
import os
import platform
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.text import Text

from draftproof import __version__
from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import TIERS, Facts
from draftproof.audit.judgement import Audit, Condition
from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.report.blind_spots import blind_spots
from draftproof.report.judged import Judged, Suspicion, opinions, percent, sentences, written_e
from draftproof.report.text import Indented, printable
from draftproof.report.verdicts import EXITS, STYLES, Ended, Exit, exit_of, worst_of

LIBRARIES = ("numpy", "scipy", "torch", "transformers", "openvino", "xllamacpp", "gguf", "httpx2")
"""Of which a report names the version, if they had a part in the audit."""

NAME_WIDTH = 22
"""Cells for the name of a suspect."""


@dataclass(frozen=True)
class Environment:
    """Where an audit ran.

    Attributes:
        versions: of what had a part in it, by name.
        machine: its kind; not its name.
        date: when the report was made, in universal time.
    """

    versions: Mapping[str, str]
    machine: str
    date: str

    @classmethod
    def here(cls) -> "Environment":
        """The environment of this process, now."""
        libraries = {name: importlib.metadata.version(name) for name in LIBRARIES if name in sys.modules}
        return cls(
            {"draftproof": __version__, "Python": platform.python_version(), **libraries},
            f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors",
            datetime.now(UTC).isoformat(timespec="seconds"),
        )


def raw_hash(events: Path | None) -> str | None:
    """The SHA-256 of the file with the raw data; None if there is no such file.

    Raises:
        BadRequest: it cannot be read.
    """
    if events is None or not events.exists():
        return None
    try:
        with events.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadRequest(f"cannot read {events}: {error.strerror}") from error


@dataclass
class AuditReport:
    """An audit so far, with what is needed to repeat it.

    Attributes:
        audit: what was found.
        command: the arguments of the command line, from the name of the program on.
        environment: where it ran.
        raw: hash of the raw data; None if they were not kept.
        ended: how it ended.
    """

    audit: Audit
    command: Sequence[str]
    environment: Environment
    raw: str | None = None
    ended: Ended = Ended.COMPLETE
    _judged: list[Judged] = field(default_factory=list, repr=False)

    @property
    def seconds(self) -> float:
        """Wall-clock time of the whole audit."""
        return self.audit.seconds

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        self.audit.seconds = seconds

    @property
    def command_line(self) -> str:
        """As it can be pasted into a shell."""
        return shlex.join(self.command)

    @property
    def judged(self) -> list[Judged]:
        """Every condition that was judged to its end, each looked at once."""
        self._judged += map(Judged.of, self.audit.judgements[len(self._judged) :])
        return self._judged

    @property
    def entries(self) -> list[tuple[Kind, str, Word, str]]:
        """Kind of evidence, name, word and sentence of all that was looked at."""
        return [
            *((Kind.LAW, one.name, one.word, one.reason) for one in self.judged),
            *((check.kind, check.name, check.word, check.sentence) for check in self.audit.checks),
        ]

    @property
    def word(self) -> Word:
        """The worst word. Where the law was looked at and nowhere passed, a check of something else is no PASS of the whole."""
        worst = worst_of({word for _, _, word, _ in self.entries}, self.ended)
        of_law = {word for kind, _, word, _ in self.entries if kind is Kind.LAW}
        return Word.INCONCLUSIVE if worst is Word.PASS and of_law and Word.PASS not in of_law else worst

    @property
    def exit(self) -> Exit:
        """The exit code of a command that ends with this report. An error is an engine that could not be reached."""
        return exit_of(self.word, self.ended, EXITS | {Word.ERROR: Exit.UNREACHABLE})

    @property
    def headline(self) -> str:
        """The verdict on all of it in a sentence."""
        if self.word is Word.PASS and self.judged:
            effect, alpha = max(one.effect for one in self.judged), max(one.alpha for one in self.judged)
            fewest = min(self.judged, key=lambda one: len(one.judgement.condition.plan.watched)).watched
            return f"Not refuted. A share of {percent(effect)} is excluded for each of {fewest}, at confidence {1 - alpha:g}."
        if self.word is Word.PASS:
            return "Every check passed."
        if those := [(name, sentence) for _, name, word, sentence in self.entries if word is self.word]:
            (name, sentence), others = those[0], len(those) - 1
            return f"{_begun(sentence)} ({name}{f', and {others} more' if others else ''})."
        if self.ended is not Ended.COMPLETE:
            return f"{self.ended.capitalize()} before the end: what is not listed was not tested."
        return "Nothing was tested." if self.word is Word.SKIPPED else "No condition passed, so nothing is said of the law."

    @property
    def alpha(self) -> float:
        """The most that the chance of a wrong refutation by the bets can be, over all conditions together."""
        return min(1.0, sum(one.alpha for one in self.judged))

    @property
    def blind_spots(self) -> list[str]:
        """What could not be seen, a sentence each."""
        checked = any(check.kind is not Kind.LAW for check in self.audit.checks)
        return list(blind_spots(self.audit.facts.tier, self.judged, checked=checked))


def opening(facts: Facts, conditions: Sequence[Condition], *, rate: float | None = None) -> Iterator[Text | Indented]:
    """The plan, before anything is asked.

    Args:
        rate: tokens a second that the engine is expected to make and the reference to score; None if it is not known.
    """
    yield Text(printable(f"Auditing {facts.name}, tier {facts.tier}: {TIERS[facts.tier]}"))
    yield Text(printable(f"Drafts: {facts.drafts or 'none, by its own account'}"))
    for condition in conditions:
        plan, goal = condition.plan, condition.plan.goal
        yield Text(
            printable(
                f"{condition.name}: up to {plan.tokens:,} tokens in {plan.answers:,} answers to {len(plan.prompts)} prompts"
                f"{f', about {plan.tokens / rate:,.0f} s' if rate else ''}"
            )
        )
        seen = [(name, plan.outlook.detectable(name, plan.tokens, goal.alpha)) for name in plan.watched]
        listed = ", ".join(f"{name} from {percent(share)}" for name, share in seen if share)
        yield _below(f"error rate {goal.alpha:g}; a PASS excludes {percent(goal.effect)} of each; will see, mostly: {listed or 'nothing'}")
        if plan.needed > plan.tokens:
            yield _below(f"a PASS takes about {plan.needed:,} tokens in most audits, more than are asked for")
        if plan.unseen:
            yield _below(f"could not see {percent(goal.effect)} of: {', '.join(plan.unseen)}")


def condition_lines(judged: Judged, *, name_width: int) -> Iterator[Text | Indented]:
    """A line with the verdict on one condition, and what it is worth below it."""
    answers = judged.judgement.counters.answers
    yield Text.assemble(
        (f"{judged.word:<12}", STYLES[judged.word]),
        printable(
            f"  {judged.name:<{name_width}}  {judged.tokens:,} tokens  {answers:,} answers  e-value {judged.e_value}  {judged.counted}"
        ),
    )
    yield _below(f"law: {judged.reason}")
    if judged.tokens:
        yield _below(f"share of each suspect, at confidence {1 - judged.alpha:g}:")
        yield from (Indented(_suspect_line(one), 6) for one in judged.suspicions)
    yield from map(_below, sentences(judged))


def _suspect_line(one: Suspicion) -> Text:
    style = "red" if one.standing.name == "REFUTES" else ""
    standing = one.standing.value if one.watched or one.standing.name == "REFUTES" else f"{one.standing.value}, not watched"
    return Text.assemble(printable(f"{one.name:<{NAME_WIDTH}}  {one.shares:<20}  e {written_e(one.finding.log_e):<9}  "), (standing, style))


def check_lines(check: Check) -> Iterator[Text | Indented]:
    """A line with the verdict on one check, its sentence and its details below it."""
    yield Text.assemble((f"{check.word:<12}", STYLES[check.word]), printable(f"  {check.kind}: {check.name}"))
    yield from map(_below, (check.sentence, *check.details))


def closing(report: AuditReport) -> Iterator[Text | Indented]:
    """The verdict on all of it, then what it does not say."""
    counts = Counter(word for _, _, word, _ in report.entries)
    tally = ", ".join(f"{counts[word]} {word}" for word in Word if counts[word])
    yield Text.assemble((f"{report.word}", STYLES[report.word]), printable(f"  {report.headline}"))
    yield _below(f"{tally or 'nothing'}, in {report.seconds:.1f} s")
    if report.ended is not Ended.COMPLETE:
        yield _below(f"{report.ended.capitalize()} before the end: what is not listed was not tested.")
    yield from (_below(f"{what}: {said}") for what, said in evidence(report))
    if report.judged:
        yield Text("Second opinions, which decide nothing")
        for one in report.judged:
            if one.tokens:
                yield _below(f"{one.name}: p-values " + ", ".join(f"{name} {value:.2g}" for name, value in opinions(one).items()))
    yield Text("What this audit could not see")
    yield from map(_below, report.blind_spots)
    yield Text(printable(f"Run again: {report.command_line}"))
    if report.raw:
        yield Text(f"Raw data: sha256 {report.raw}")


def evidence(report: AuditReport) -> Iterator[tuple[str, str]]:
    """By which access, of which kinds, and how sure all of it is together: what it is, and what is said of it."""
    facts = report.audit.facts
    yield "Access", f"tier {facts.tier}, {TIERS[facts.tier]}"
    yield "Drafts", facts.drafts or "none, by its own account"
    kinds = Counter(kind for kind, _, word, _ in report.entries if word not in (Word.SKIPPED, Word.ERROR))
    yield "Evidence", ", ".join(f"{kind} ({kinds[kind]})" for kind in Kind if kinds[kind]) or "none"
    if len(report.judged) > 1:
        yield "All together", f"if the engine is right, the chance of any FAIL by the bets is at most {report.alpha:g}"
        names = ", ".join(one.condition.name for one in report.audit.refuted) or "no condition"
        yield "Refuted", f"{names}, with a false discovery rate of {report.judged[0].alpha:g} over all conditions"


def _begun(sentence: str) -> str:
    """With a capital at its beginning, unless it begins with an address."""
    return sentence if "://" in sentence.split(" ", 1)[0] else sentence[:1].upper() + sentence[1:]


def _below(sentence: str) -> Indented:
    return Indented(Text(printable(sentence)), 4)
