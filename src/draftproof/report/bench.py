"""A benchmark as a report: raw runs, and all that is said of them. Nothing else is asked, so it can be made again from a file of runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from draftproof.bench.cell import ONE, SERVICE, TAIL, cell_of
from draftproof.bench.compare import Comparison, compare
from draftproof.bench.noise import noise
from draftproof.bench.prediction import Prediction, predict
from draftproof.bench.rates import Rates, rates
from draftproof.bench.refusals import NOISE_LIMIT
from draftproof.bench.run import Run
from draftproof.bench.service import Throughput, throughputs
from draftproof.bench.store import Head, Recorded
from draftproof.bench.tail import NO_LIMITS, Limits, Tail, tails
from draftproof.errors import BadRequest
from draftproof.report import bench_costs
from draftproof.report.bench_tables import Table, one_table, service_table, tail_table
from draftproof.report.verdicts import Ended, Exit

GIB = 2**30

IDLE = 0.5
"""Processes, on average over a minute, of a machine on which nobody else is at work."""


@dataclass(frozen=True)
class BenchReport:
    """Runs, with what is needed to repeat them.

    Attributes:
        recorded: what the file of runs holds, or would.
        raw: hash of that file; None if it was not kept.
        noise_limit: no speed-up is told of a machine on which equal work varied more.
        limits: of a good request.
        ended: how the sitting ended.
        seconds: that it took; None where it is not known.
    """

    recorded: Recorded
    raw: str | None = None
    noise_limit: float = NOISE_LIMIT
    limits: Limits = NO_LIMITS
    ended: Ended = Ended.COMPLETE
    seconds: float | None = None

    @property
    def head(self) -> Head:
        return self.recorded.head

    @property
    def runs(self) -> tuple[Run, ...]:
        return self.recorded.runs

    @cached_property
    def rates(self) -> list[Rates]:
        return rates(self.runs)

    @cached_property
    def throughputs(self) -> list[Throughput]:
        return throughputs(self.runs)

    @cached_property
    def tails(self) -> list[Tail]:
        return tails(self.runs, self.limits)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every drafting contender against its plain one, told or refused."""
        return compare(self.runs, noise_limit=self.noise_limit)

    @cached_property
    def noise(self) -> float | None:
        """Of the machine, over all runs."""
        return noise(self.runs)

    @cached_property
    def tables(self) -> list[Table]:
        """Those of the three of which anything was measured."""
        found = []
        if self.rates:
            found.append(one_table(self.rates, self.comparisons))
        if self.throughputs:
            found.append(service_table(self.throughputs, self.comparisons))
        if self.tails:
            found.append(tail_table(self.tails))
        return found

    @property
    def predictions(self) -> list[Prediction]:
        """What the cost model predicts, where a speed-up of one request is told and the costs of its passes are known."""
        return [found for found in self._predicted if isinstance(found, Prediction)]

    @property
    def unpredicted(self) -> list[str]:
        """Why nothing is predicted where it might have been, a sentence each."""
        return [found for found in self._predicted if isinstance(found, str)]

    @cached_property
    def _predicted(self) -> list[Prediction | str]:
        """A prediction, or a sentence in its place."""
        try:
            passes = {(one.contender, one.workload): one for one in bench_costs.read(self.head.settings)}
        except BadRequest as error:
            return [f"Nothing is predicted: {error}."]
        found = list[Prediction | str]()
        for one in self.comparisons:
            known = passes.get((one.drafting, one.cell.workload))
            if one.cell.table != ONE or one.speed_up is None or known is None:
                continue
            drafting, plain = (
                [run for run in self.runs if cell_of(run) == one.cell and run.contender == name] for name in (one.drafting, one.plain)
            )
            try:
                found.append(predict(drafting, plain, known.costs(plain)))
            except BadRequest as error:
                where = f"{one.drafting} on {one.cell.workload} at temperature {one.cell.temperature:g}"
                found.append(f"Nothing is predicted for {where}: {error}.")
        return found

    @property
    def settings(self) -> list[tuple[str, str]]:
        """Those for a reader."""
        return [(name, value) for name, value in self.head.settings if name != bench_costs.SETTING]

    @property
    def exit(self) -> Exit:
        """The exit code of a command that ends with this report."""
        if self.ended is not Ended.COMPLETE:
            return Exit.INTERRUPTED if self.ended is Ended.INTERRUPTED else Exit.CRASH
        if not self.runs:
            return Exit.UNREACHABLE if self.recorded.withdrawn else Exit.INCONCLUSIVE
        refused = self.comparisons and not any(one.speed_up for one in self.comparisons)
        return Exit.INCONCLUSIVE if refused and not self.tails else Exit.PASS

    @property
    def title(self) -> str:
        """What was measured, in a few words."""
        contenders = dict.fromkeys(run.contender for run in self.runs)
        target = dict(self.settings).get("target", "a target")
        return f"speed of {target}: {len(contenders)} {'contender' if len(contenders) == 1 else 'contenders'}, {len(self.runs):,} runs"


def facts(report: BenchReport) -> Iterator[tuple[str, str]]:
    """What it is evidence of, and how far the machine can be trusted: what it is, and what is said of it."""
    yield "Evidence", "speed alone, on this machine; it says nothing of the law of the texts or of the state of caches"
    yield "Machine", machine(report.head)
    yield "Noise", _noise(report)
    yield "Load", _load(report)
    if report.recorded.end is None:
        yield "Ended", "early: what is not listed was not measured"
    if report.recorded.cut:
        yield "Raw data", "the last line of the file is not whole; it is left out"


def _noise(report: BenchReport) -> str:
    limit = f"{report.noise_limit:.0%} is the limit for a speed-up"
    if report.noise is None:
        return f"not known, since no two runs did equal work; {limit}"
    return f"the time of equal work varied by {report.noise:.1%} (one standard deviation); {limit}"


def machine(head: Head) -> str:
    """What it is."""
    found = head.machine
    return f"{found.processor}, {found.cores} cores, {found.memory / GIB:.0f} GiB, {found.system}"


def load_before(head: Head) -> str:
    """Who else was at work."""
    others = "; that is more than an idle machine has, so these times are not those of one" if head.load[0] > IDLE else ""
    return f"{head.load[0]:.2f} processes on average in the minute before{others}"


def _load(report: BenchReport) -> str:
    end = report.recorded.end
    return load_before(report.head) + (f"; {end.load[0]:.2f} in the last one" if end else "")


def parted(found: Prediction) -> Iterator[str]:
    """Predicted beside observed, and where the two part: one sentence for the numbers, then the model's own."""
    whole, seen = found.whole, found.acceptance
    verdict = "holds" if whole.holds else "does not hold"
    yield (
        f"predicted {whole.predicted:.2f}, observed {whole.observed:.2f} ({whole.difference:+.1%}): it {verdict}. "
        f"{seen.block_efficiency:.2f} tokens a pass, {seen.width:.1f} drafted a round, {_share(seen.accepted, seen.drafted)} of them kept."
    )
    yield from found.sentences


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "none"


def not_shown(report: BenchReport) -> list[str]:
    """What the numbers do not say, a sentence each."""
    kinds = {run.table for run in report.runs}
    return [sentence for sentence, wanted in _silences(report, kinds) if wanted]


def _silences(report: BenchReport, kinds: set[str]) -> Sequence[tuple[str, bool]]:
    """Every sentence that may have to be said, and whether it has."""
    engines = {run.engine for run in report.runs}
    differing = [one for one in report.comparisons if one.same_texts is not None and one.same_texts < 1]
    others = f"in {len(differing)} of {len(report.comparisons)} comparisons texts with drafts are not all the same as those without"
    return [
        ("Whether the texts follow the target's law: see draftproof prove and draftproof audit. A wrong decoder can be fast.", True),
        ("Whether the texts are any good. They are counted, not read.", True),
        ("Other machines, other models, other prompts, longer texts, and this machine under another load.", True),
        ("How a service behaves: here each request was alone.", kinds == {ONE}),
        ("How long one client waits: the table of service counts tokens of all together.", SERVICE in kinds and not kinds & {ONE, TAIL}),
        ("Memory, energy, and the time to load a model and to start an engine: the clock began after a warm-up.", True),
        ("Which engine drafts best: they differ in more than drafts, so no ratio between two of them is a speed-up.", len(engines) > 1),
        (
            "Drafting elsewhere: another width or drafter than those that were measured may do better.",
            any(run.drafts for run in report.runs),
        ),
        (f"The same texts twice: {others}. Their lengths were compared.", bool(differing)),
    ]
