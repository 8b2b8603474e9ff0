"""One audit that a command runs: planned, shown as it goes, and kept."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from draftproof.cli.campaign import ending
from draftproof.cli.progress import Progress, progress
from draftproof.cli.terminal import write_lines
from draftproof.errors import BadRequest

if TYPE_CHECKING:
    from draftproof.audit.check import Check
    from draftproof.audit.conditions import Judge
    from draftproof.audit.engines.protocol import Audited
    from draftproof.audit.judgement import Audit, Condition, Judgement
    from draftproof.audit.law.plan import Goal
    from draftproof.audit.store import Events
    from draftproof.audit.subject import Subject, Wanted
    from draftproof.report.audit import AuditReport

EVENTS = "events.jsonl"

MADE = "models"
"""Where in the cache folder models lie that are made for an audit."""


class Shown(NamedTuple):
    """What is shown while an audit runs: lines on stdout, and signs of life on stderr."""

    lines: bool
    progress: bool


@dataclass(frozen=True)
class Job:
    """What an audit is asked to do; see the options of the command."""

    wanted: "Wanted"
    goal: "Goal"
    asked: Mapping[str, Any]
    also: Sequence[Mapping[str, Any]]
    prompts: Sequence[str]
    without: str
    seed: int | None
    state: bool
    out: Path | None

    def run(self, shown: Shown) -> tuple["AuditReport", list[Exception]]:
        """The report, and the fault of ours that ended the audit early, if one did."""
        from draftproof.report.audit import AuditReport, Environment, raw_hash

        events = self._events()
        with self._ready(shown) as (subject, engine, judge, conditions, at):
            from draftproof.audit.judgement import Audit

            report = AuditReport(Audit(engine.facts), ["draftproof", *sys.argv[1:]], Environment.here())
            faults = gathered(self._found(subject, engine, judge, conditions, events, at), report, at, lines=shown.lines)
        report.raw = raw_hash(events.path) if events else None
        return report, faults

    def show_plan(self, shown: Shown) -> None:
        """What could be seen, and nothing more."""
        with self._ready(shown._replace(lines=True)):
            pass

    @contextmanager
    def _ready(self, shown: Shown) -> Iterator[tuple["Subject", "Audited", "Judge | None", list["Condition"], Progress]]:
        """The engine started and the plan made and shown."""
        from draftproof.audit.conditions import conditions
        from draftproof.audit.engines.protocol import Tier
        from draftproof.audit.subject import subject
        from draftproof.models.imported import default_cache
        from draftproof.report.audit import opening

        with progress(1, wanted=shown.progress) as at:
            found = subject(self.wanted, folder=default_cache() / MADE, told=lambda what: at.at(0, what))
            at.at(0, f"starting {self.wanted.name}")
            with found.engine as engine:
                judge = found.judge() if found.judge else None
                if judge and engine.facts.tier is Tier.TEXT:
                    raise BadRequest(
                        f"{self.wanted.name} returns no token ids, so its tokens cannot be scored; leave --weights out and compare its "
                        "text with that of the same server without drafts, by --without"
                    )
                asked = {**self.asked, "dialect": found.dialect}
                planned: list[Condition] = []
                if judge:
                    planned = conditions(judge, asked, self.also, self.prompts, self.goal, seed=self.seed, told=lambda what: at.at(0, what))
                elif not self.without:
                    raise BadRequest(
                        "nothing is known of the target's law; give a trusted copy with --weights, "
                        "or the same server with its drafts off with --without"
                    )
                if shown.lines:
                    with at.paused():
                        write_lines(opening(engine.facts, planned))
                yield found, engine, judge, planned, at

    def _found(
        self,
        subject: "Subject",
        engine: "Audited",
        judge: "Judge | None",
        conditions: Sequence["Condition"],
        events: "Events | None",
        at: Progress,
    ) -> Iterator["Judgement | Check"]:
        from draftproof.audit.engines.openai import OpenAi
        from draftproof.audit.running import run
        from draftproof.audit.twice import text_check
        from draftproof.sampling.params import SamplingParams

        def asking(what: str, done: int, total: int) -> None:
            at.at(done, what, total)

        if judge is None:
            params = SamplingParams.parse({**self.asked, "dialect": subject.dialect})
            with OpenAi(self.without, dialect=subject.dialect) as plain:
                yield text_check(engine, plain, params, self.prompts, self.goal, events=events, told=asking)
            return

        asking(f"{conditions[0].name}: waiting for answers", 0, conditions[0].plan.tokens)
        yield from run(
            engine,
            judge,
            conditions,
            drafting=subject.drafting,
            state=self.state,
            promises_seeds=subject.promises_seeds,
            events=events,
            told=judging(at),
        )

    def _events(self) -> "Events | None":
        from draftproof.audit.store import Events

        if self.out is None:
            return None
        audit = {
            "wanted": asdict(self.wanted),
            "goal": asdict(self.goal),
            "params": dict(self.asked),
            "also": [dict(one) for one in self.also],
            "prompts": list(self.prompts),
            "without": self.without,
            "seed": self.seed,
        }
        return Events(self.out / EVENTS, audit)


def judging(at: Progress) -> Callable[["Judgement"], None]:
    """What tells how a condition stands."""
    from draftproof.report.judged import written_e

    def told(judgement: "Judgement") -> None:
        e_value = written_e(judgement.law.log_e)
        at.at(judgement.law.tokens, f"{judgement.condition.name}: tokens judged, e-value {e_value}", judgement.condition.plan.tokens)

    return told


def gathered(found: Iterable["Judgement | Check"], report: "AuditReport", at: Progress, *, lines: bool) -> list[Exception]:
    """Fill in the report, and show each part as it comes. Returns the fault of ours that ended it early, if one did."""
    with ending(report) as faults:
        for one in found:
            _take(one, report.audit)
            if lines:
                with at.paused():
                    write_lines(_lines(report, one))
    return faults


def _take(found: "Judgement | Check", audit: "Audit") -> None:
    from draftproof.audit.judgement import Judgement

    if isinstance(found, Judgement):
        audit.judgements.append(found)
    else:
        audit.checks.append(found)


def _lines(report: "AuditReport", found: "Judgement | Check") -> Iterator[Any]:
    """What was just found, for a reader."""
    from draftproof.audit.judgement import Judgement
    from draftproof.report.audit import check_lines, condition_lines

    if isinstance(found, Judgement):
        return condition_lines(report.judged[-1], name_width=len(report.judged[-1].name))
    return check_lines(found)
