"""One sitting that a command runs: made ready, shown as it goes, and kept."""

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from draftproof.cli.campaign import ending
from draftproof.cli.progress import Progress, progress
from draftproof.cli.terminal import notice
from draftproof.errors import BadRequest

if TYPE_CHECKING:
    from draftproof.bench.contender import Contender
    from draftproof.bench.contenders.source import Source
    from draftproof.bench.measure import Heat, Sitting, Withdrawn
    from draftproof.bench.plan import Plan
    from draftproof.bench.run import Run
    from draftproof.bench.store import Head, RunFile
    from draftproof.bench.tail import Limits
    from draftproof.bench.workloads import Workload
    from draftproof.report.bench import BenchReport
    from draftproof.report.bench_costs import Passes
    from draftproof.report.verdicts import Ended

ROWS = (1, 2, 3, 4, 6, 8, 12, 16)
"""At which a pass is timed, for the cost model of one request."""

SPARE_TOKENS = 16
"""Beyond the longest prompt and its answer, for servers that count otherwise than we do."""

MOST_ARRIVALS = 10**6
"""Of all runs of the tail together: each is an order that is made beforehand."""

EARLY_EXIT = "early_exit"

ONE, SERVICE, TAIL = "one", "service", "tail"
"""`bench.cell`, whose package is too slow to import for a line of help."""


@dataclass
class Sat:
    """A sitting so far.

    Attributes:
        runs, withdrawn: in the order in which they came.
        ended, seconds: see `cli.campaign`.
    """

    runs: list["Run"]
    withdrawn: list["Withdrawn"]
    ended: "Ended"
    seconds: float = 0.0

    def take(self, measured: "Run | Withdrawn", file: "RunFile | None") -> None:
        """Note it, and keep it on disk; that a contender withdrew, once.

        Raises:
            BadRequest: it cannot be kept. It is noted all the same.
        """
        from draftproof.bench.run import Run

        if isinstance(measured, Run):
            self.runs.append(measured)
        elif measured in self.withdrawn:
            return
        else:
            self.withdrawn.append(measured)
        if file:
            file.add(measured)


@dataclass(frozen=True)
class Job:
    """What is to be measured; see the options of the command.

    Attributes:
        out: the file of raw runs; None if they are not kept.
        tell_length: True if nobody said how long the sitting may be, and somebody reads notices.
    """

    target: str
    engines: tuple[str, ...]
    workloads: tuple[str, ...]
    prompts: Path | None
    first: int | None
    temperatures: tuple[float, ...]
    max_tokens: int
    repeats: int
    seed: int
    tables: Sequence[str]
    slots: tuple[int, ...]
    rates: tuple[float, ...]
    requests: int | None
    noise_limit: float
    limits: "Limits"
    out: Path | None
    threads: int | None
    cache: Path | None
    show_progress: bool
    tell_length: bool

    def run(self) -> tuple["BenchReport", list[Exception]]:
        """The report, and what ended the sitting early, if anything did: a fault of ours, or raw runs that cannot be kept any more."""
        from draftproof.bench.measure import Sitting
        from draftproof.bench.store import End, Head, Recorded, RunFile, digest, read
        from draftproof.report.bench import BenchReport
        from draftproof.report.bench_costs import written
        from draftproof.report.verdicts import Ended

        chosen = self._workloads()
        self._check(len(chosen))
        head = Head.here(shlex.join(["draftproof", *sys.argv[1:]]), self._settings(chosen))
        sat = Sat([], [], Ended.COMPLETE)
        with ExitStack() as stack, progress(1, wanted=self.show_progress) as at:
            contenders, source = self._contenders(chosen, stack, at)
            sitting = Sitting(tuple(contenders), chosen, source.model(), self.temperatures, self.max_tokens, self.repeats, self.seed)
            self._check_slots(contenders)
            heats = self._heats(sitting)
            if ONE in self.tables:
                head = replace(head, settings=(*head.settings, written(self._passes(sitting, source, at))))
            file = RunFile(self.out, head) if self.out else None
            faults = self._sit(sat, heats, sitting, file, at)
        if self.out and not any(isinstance(fault, BadRequest) for fault in faults):
            return BenchReport(read(self.out), digest(self.out), self.noise_limit, self.limits, sat.ended, sat.seconds), faults
        whole = sat.ended is Ended.COMPLETE and not faults
        end = End(datetime.now(UTC).isoformat(timespec="seconds"), os.getloadavg()) if whole else None
        recorded = Recorded(head, tuple(sat.runs), tuple(sat.withdrawn), end)
        return BenchReport(recorded, None, self.noise_limit, self.limits, sat.ended, sat.seconds), faults

    def _sit(self, sat: Sat, heats: Sequence["Heat"], sitting: "Sitting", file: "RunFile | None", at: Progress) -> list[Exception]:
        """Measure it, run by run; what was measured is in `sat`, whatever ended it."""
        from draftproof.bench.coherence import believed
        from draftproof.bench.measure import measured

        shown = Shown(at, sum(heat.runs for heat in heats), sum(heat.orders for heat in heats), tell_length=self.tell_length)
        try:
            with ending(sat) as faults:
                for one in map(believed, measured(shown.announced(heats), sitting.reader)):
                    sat.take(one, file)
                    shown.took(one)
                if file:
                    file.end()
        except BadRequest as error:
            return [error]
        return faults

    def plan(self, draft: str) -> tuple["Plan", "Head"]:
        """Whether to draft, with what, how wide; and what it takes to plan it again."""
        from draftproof.bench.plan import BATCHES, plan
        from draftproof.bench.store import Head

        chosen = self._workloads()
        head = Head.here(shlex.join(["draftproof", *sys.argv[1:]]))
        with progress(1, wanted=self.show_progress) as at:
            source = self._source(at)
            reader = source.model()
            prompts = {workload.name: [reader.read(prompt.text) for prompt in workload.prompts] for workload in chosen}
            found = plan(
                reader,
                prompts,
                temperatures=self.temperatures,
                draft_model=source.other(draft).model() if draft else None,
                batches=self.slots or BATCHES,
                max_tokens=self.max_tokens,
                seed=self.seed,
                told=lambda what: at.at(0, what),
            )
        return found, head

    def _workloads(self) -> tuple["Workload", ...]:
        from draftproof.bench.workloads import select

        return tuple(replace(one, prompts=one.prompts[: self.first]) for one in select(self.workloads, self.prompts))

    def _check(self, workloads: int) -> None:
        """Refuse, before a model is loaded, what nobody could serve.

        Raises:
            BadRequest: see there; or the file of raw runs is there already.
        """
        from draftproof.bench.contenders.spec import parse
        from draftproof.bench.tail import REQUESTS
        from draftproof.sampling.params import SamplingParams

        for text in self.engines:
            parse(text)
        for temperature in self.temperatures:
            SamplingParams.parse({"temperature": temperature})
        if self.out and self.out.exists():
            raise BadRequest(f"{self.out} is there already; give another folder, so that no measurement is lost")
        arrivals = workloads * len(self.temperatures) * len(self.rates) * self.repeats * (self.requests or REQUESTS)
        if TAIL in self.tables and arrivals > MOST_ARRIVALS:
            raise BadRequest(
                f"the tail would have {arrivals:,} arrivals in all, and at most {MOST_ARRIVALS:,} are measured in one go; give fewer "
                "requests, rates or repeats"
            )

    def _check_slots(self, contenders: Sequence["Contender"]) -> None:
        """Refuse, before anything is measured, slots of which nobody has so many.

        Raises:
            BadRequest: see there.
        """
        most = max(contender.slots for contender in contenders)
        if self.slots and max(self.slots) > most:
            raise BadRequest(
                f"--slots: {max(self.slots)} requests at once are more than any contender serves; give at most {most}, or an engine with "
                "more"
            )

    def _settings(self, chosen: Sequence["Workload"]) -> list[tuple[str, str]]:
        """What the reader of a report should know, defaults included."""
        from draftproof.bench.contenders.specs import DEFAULT

        return [
            ("target", self.target),
            ("engines", " ".join(self.engines or DEFAULT)),
            *((f"workload {one.name}", f"{one.about}; {len(one.prompts)} prompts") for one in chosen),
            ("temperatures", ", ".join(f"{temperature:g}" for temperature in self.temperatures)),
            ("tokens of a text at most", str(self.max_tokens)),
            ("repeats", str(self.repeats)),
            ("seed", str(self.seed)),
            ("threads", str(self.threads or "all")),
        ]

    def _source(self, at: Progress) -> "Source":
        from draftproof.bench.contenders.source import Source

        return Source(
            self.target, threads=self.threads, cache=self.cache, told=lambda what, done, total: at.at(done, f"{what} {self.target}", total)
        )

    def _contenders(self, chosen: Sequence["Workload"], stack: ExitStack, at: Progress) -> tuple[list["Contender"], "Source"]:
        """Ready to be measured."""
        from draftproof.bench.contenders.specs import contenders

        source = self._source(at)
        at.at(0, f"loading {self.target}", 1)
        reader = source.model()
        longest = max(len(reader.read(prompt.text)) for workload in chosen for prompt in workload.prompts)
        ready = contenders(
            self.engines,
            source,
            stack=stack,
            slots=max(self._served) if {SERVICE, TAIL} & {*self.tables} else 1,
            context_tokens=longest + self.max_tokens + SPARE_TOKENS,
            told=lambda name: at.at(0, f"making ready {name}", 1),
        )
        return ready, source

    @property
    def _served(self) -> tuple[int, ...]:
        """Numbers of requests that are served at once: of a service all, of the tail the largest."""
        from draftproof.bench.service import SLOTS

        return self.slots or (SLOTS if SERVICE in self.tables else (1,))

    def _heats(self, sitting: "Sitting") -> list["Heat"]:
        """All that is to be measured, table by table."""
        from draftproof.bench.measure import one_request
        from draftproof.bench.service import service
        from draftproof.bench.tail import REQUESTS, tail

        of_tail = max(self.slots, default=1)
        made = {
            ONE: lambda: one_request(sitting),
            SERVICE: lambda: service(sitting, self._served),
            TAIL: lambda: tail(sitting, self.rates, slots=of_tail, requests=self.requests or REQUESTS),
        }
        return [heat for table in self.tables for heat in made[table]()]

    def _passes(self, sitting: "Sitting", source: "Source", at: Progress) -> Iterator["Passes"]:
        """What passes cost for every contender of ours that drafts, in the middle of a text of each workload; each is timed once."""
        from draftproof.bench.contenders.own import Own
        from draftproof.bench.contenders.spec import parse
        from draftproof.models.cost import PassCost, measure
        from draftproof.models.language import LanguageModel
        from draftproof.report.bench_costs import Passes

        specs = {spec.name: spec for spec in map(parse, self.engines)}
        known: dict[tuple[int, str], PassCost] = {}

        def cost(model: LanguageModel, workload: "Workload") -> PassCost:
            place = id(model.model), workload.name
            if place not in known:
                at.at(0, f"timing passes of {model.name} as long as {workload.name}", 1)
                length = mean(len(sitting.reader.read(prompt.text)) for prompt in workload.prompts)
                known[place] = measure(model.model, widths=ROWS, context_tokens=round(length) + self.max_tokens // 2)
            return known[place]

        for contender in sitting.contenders:
            if not isinstance(contender, Own) or not contender.drafts:
                continue
            spec = specs.get(contender.name)
            if spec and spec.way == EARLY_EXIT:  # a part of the target drafts, whose passes are timed nowhere
                continue
            draft = spec and spec.options.get("draft")
            drafting = source.other(draft).model(spec.precision) if spec and draft else None
            for workload in sitting.workloads:
                yield Passes(
                    contender.name,
                    workload.name,
                    cost(contender.decoding.target, workload),
                    cost(drafting, workload) if drafting else None,
                )


class Shown:
    """What is told while runs are measured: which cell, how many runs are done, and how long the rest will take."""

    def __init__(
        self, at: Progress, total: int, orders: int, clock: Callable[[], float] = time.monotonic, *, tell_length: bool = False
    ) -> None:
        self.at, self.total, self.orders, self.clock, self.tell_length = at, total, orders, clock, tell_length
        self.began, self.runs, self.answered, self.cell = clock(), 0, 0, ""

    def announced(self, heats: Iterable["Heat"]) -> Iterator["Heat"]:
        """The same, each told before its first run."""
        for heat in heats:
            cell = heat.cell
            at_once = f", {cell.slots} at once" if cell.slots > 1 else ""
            coming = f", {cell.rate:g} a second" if cell.rate else ""
            self.cell = f"{cell.table}: {cell.workload}, temperature {cell.temperature:g}{at_once}{coming}"
            self._tell()
            yield heat

    def took(self, measured: "Run | Withdrawn") -> None:
        """One more is done, or one contender fewer takes part."""
        from draftproof.bench.run import Run

        if isinstance(measured, Run):
            self.runs, self.answered = self.runs + 1, self.answered + len(measured.replies)
        self._tell()
        if self.tell_length and self.answered:
            self.tell_length = False
            with self.at.paused():
                notice(f"{self.total:,} runs, about {_duration(self._left)} to go; --first, --repeats or --workload make it shorter")

    @property
    def _left(self) -> float:
        """Seconds, after the first answer: a run of many requests takes longer."""
        return (self.clock() - self.began) / self.answered * (self.orders - self.answered)

    def _tell(self) -> None:
        left = f", about {_duration(self._left)} left" if self.answered else ""
        self.at.at(self.runs, f"{self.cell}: runs measured{left}", self.total)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
