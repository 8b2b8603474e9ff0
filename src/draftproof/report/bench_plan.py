"""A plan as a report: the answer workload by workload, what it rests on, and the same for programs."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from draftproof.bench.advice import Advice, Option
from draftproof.bench.cell import ONE, SERVICE
from draftproof.bench.plan import Plan
from draftproof.bench.store import Head
from draftproof.report.audit_values import plain
from draftproof.report.bench import load_before, machine
from draftproof.report.document import document
from draftproof.report.text import Indented, printable

DRIFT = 0.1
"""A plan made while the machine changed by more is not to be relied on."""

LIMITS = (
    "All of it is predicted, from texts that were decoded once without drafts; draftproof bench measures it.",
    "It holds for this machine, idle, and for prompts such as these.",
    "It says nothing of the law of the texts: with our coupled rule they stay the same, see draftproof prove.",
)
"""What a plan does not say."""


def plan_lines(plan: Plan, head: Head) -> Iterator[RenderableType]:
    """For a reader."""
    model = f", with the draft model {plan.draft_model}" if plan.draft_model else ""
    yield Text(printable(f"Plan for {plan.target}{model}: should it draft here, with what, how wide?"), style="bold")
    for advice in plan.advices:
        yield Text("")
        yield Text(printable(_asked(advice)), style="bold")
        yield _below(advice.words)
        yield from (_below(f"{option.name}: {_option(option)}", 6) for option in best_by_drafter(advice))
    yield Text("")
    yield Text("What it rests on", style="bold")
    yield _below(f"Machine: {machine(head)}.")
    yield _below(f"Load: {load_before(head)}.")
    counts = ", ".join(f"{count} of {workload}" for workload, count in plan.prompts.items())
    yield _below(f"Prompts: {counts}; {plan.max_tokens} tokens of each, in {plan.seconds:.0f} s.")
    for workload, costs in plan.costs.items():
        passes = ", ".join(f"{_rows(each)} {ms:.1f} ms" for ms, each in groupby(costs.target.measured, key=itemgetter(1)))
        yield _below(f"{workload}: {passes}; outside a pass {costs.round_ms:.2f} ms a round and {costs.token_ms:.2f} ms a token.")
        yield from map(_below, _drifted(workload, plan.drift.get(workload, 1.0)))
    yield from map(_below, LIMITS)
    if command := measuring(plan, head.command):
        yield Text("")
        yield Text("To measure what is promising", style="bold")
        yield _below(command)


NOT_MEASURED = {"--plan": 0, "--draft": 1, "--slots": 1, "--json": 0, "--quiet": 0, "-q": 0}
"""Options of a plan that mean nothing, or something else, to a measurement, and how many words of their own follow."""


def measuring(plan: Plan, command: str) -> str:
    """The command that measures the best way wherever one is promising, made of the one that planned; empty if none is."""
    words, kept = iter(shlex.split(command)), list[str]()
    draft = ""
    for word in words:
        name, _, value = word.partition("=")
        if name not in NOT_MEASURED:
            kept.append(word)
        elif NOT_MEASURED[name]:
            value = value or next(words)
            draft = value if name == "--draft" else draft
    promising = [advice for advice in plan.advices if advice.promising]
    if not promising:
        return ""
    for engine in dict.fromkeys(advice.best.engine(draft) for advice in promising):
        kept += ["--engine", engine]
    batches = sorted({advice.batch for advice in promising})
    kept += ["--table", ",".join(table for table, wanted in ((ONE, 1 in batches), (SERVICE, batches[-1] > 1)) if wanted)]
    if batches[-1] > 1:
        kept += ["--slots", ",".join(map(str, filter(lambda batch: batch > 1, batches)))]
    return shlex.join(kept)


def _rows(alike: Iterable[tuple[int, float]]) -> str:
    """The numbers of rows of passes that cost the same."""
    rows = [rows for rows, _ in alike]
    return f"{rows[0]} to {rows[-1]} rows" if len(rows) > 1 else f"{rows[0]} rows"


def advice_lines(plan: Plan) -> Iterator[RenderableType]:
    """The answers alone, a line each."""
    for advice in plan.advices:
        yield Text(printable(f"{_asked(advice)}: {advice.words}"))


def _asked(advice: Advice) -> str:
    together = "one request at a time" if advice.batch == 1 else f"{advice.batch} requests together"
    return f"{advice.workload}, temperature {advice.temperature:g}, {together}"


def _drifted(workload: str, drift: float) -> list[str]:
    """That the machine changed while the plan was made, if it did."""
    if abs(drift - 1) <= DRIFT:
        return []
    return [
        f"The texts of {workload} took {drift:.2f} times what these costs say: the machine changed in between. Plan again when it is idle."
    ]


def best_by_drafter(advice: Advice) -> list[Option]:
    """The best width of each drafter, the best drafter first."""
    found: dict[tuple[str, bool], Option] = {}
    for option in advice.options:
        found.setdefault((option.drafter, option.model), option)
    return list(found.values())


def _option(option: Option) -> str:
    seen = option.acceptance
    return (
        f"{option.speedup:.2f} ({option.low:.2f}–{option.high:.2f}), {seen.block_efficiency:.2f} tokens a pass, "
        f"drafts in {seen.drafting:.0%} of the rounds, its first token kept in {option.first:.0%}"
    )


def plan_document(plan: Plan, head: Head) -> str:
    """For a program."""
    content: dict[str, Any] = {
        "evidence": ["speed"],
        "measured": False,
        "target": plan.target,
        "draft_model": plan.draft_model or None,
        "prompts": plan.prompts,
        "max_tokens": plan.max_tokens,
        "advice": [_advice_content(advice) for advice in plan.advices],
        "costs": {workload: asdict(costs) for workload, costs in plan.costs.items()},
        "drift": plan.drift,
        "does_not_show": LIMITS,
        "measured_by": measuring(plan, head.command) or None,
        "command": head.command,
        "machine": asdict(head.machine),
        "versions": dict(head.versions),
        "started": head.started,
        "load_before": head.load,
        "seconds": plan.seconds,
    }
    return document("bench plan", plain(content))


def _advice_content(advice: Advice) -> dict[str, Any]:
    return {
        "workload": advice.workload,
        "temperature": advice.temperature,
        "batch": advice.batch,
        "draft": advice.draft,
        "words": advice.words,
        "held_out": advice.held_out,
        "options": [_option_content(option) for option in advice.options],
        "break_even": [asdict(one) for one in advice.break_even],
    }


def _option_content(option: Option) -> dict[str, Any]:
    return {
        "drafter": option.drafter,
        "width": option.width,
        "draft_model": option.model,
        "predicted_speed_up": option.speedup,
        "interval": [option.low, option.high],
        "after_prompt": option.decoding,
        "tokens_per_pass": option.acceptance.block_efficiency,
        "drafting": option.acceptance.drafting,
        "first_kept": option.first,
    }


def _below(sentence: str, indent: int = 4) -> Indented:
    return Indented(Text(printable(sentence)), indent)
