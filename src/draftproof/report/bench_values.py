"""A benchmark for programs: JSON values. No ratio is among them for which there was a reason to refuse it."""

from dataclasses import asdict
from typing import Any

from draftproof.bench.cell import Cell
from draftproof.bench.compare import Comparison
from draftproof.bench.prediction import Compared, Prediction
from draftproof.bench.quantiles import Quantile, TooFew
from draftproof.bench.rates import Rates
from draftproof.bench.service import Throughput
from draftproof.bench.tail import Tail
from draftproof.bench.totals import Estimate
from draftproof.report.audit_values import plain
from draftproof.report.bench import BenchReport, not_shown
from draftproof.report.document import document


def bench_document(report: BenchReport) -> str:
    """The text of `run.json`."""
    return document("bench", content(report))


def content(report: BenchReport) -> dict[str, Any]:
    """All of it as JSON values. A number that is not finite is null."""
    return plain(
        {
            "evidence": ["speed"],
            "exit_code": int(report.exit),
            "complete": report.recorded.end is not None,
            "last_line_left_out": report.recorded.cut,
            "one": [_rates_content(one) for one in report.rates],
            "service": [_throughput_content(one) for one in report.throughputs],
            "tail": [_tail_content(one) for one in report.tails],
            "speed_ups": [_comparison_content(one) for one in report.comparisons],
            "predictions": [_prediction_content(one) for one in report.predictions],
            "not_predicted": report.unpredicted,
            "withdrawn": [
                {**_cell_content(one.cell), "contender": one.contender, "reason": one.reason} for one in report.recorded.withdrawn
            ],
            "noise": report.noise,
            "noise_limit": report.noise_limit,
            "does_not_show": not_shown(report),
            "command": report.head.command,
            "machine": asdict(report.head.machine),
            "versions": dict(report.head.versions),
            "settings": dict(report.settings),
            "started": report.head.started,
            "load_before": report.head.load,
            "load_after": report.recorded.end and report.recorded.end.load,
            "raw_sha256": report.raw,
            "runs": len(report.runs),
            "seconds": report.seconds,
        }
    )


def _cell_content(cell: Cell) -> dict[str, Any]:
    return cell._asdict()


def _row_content(one: Rates | Throughput | Tail) -> dict[str, Any]:
    """What every row of a table begins with."""
    return {**_cell_content(one.cell), "contender": one.contender, "engine": one.engine, "drafts": one.drafts}


def _rates_content(one: Rates) -> dict[str, Any]:
    return {
        **_row_content(one),
        "requests": one.requests,
        "prompts": one.prompts,
        "empty": one.empty,
        "tokens_per_second": _estimate(one.rate),
        "tokens_per_second_after_first": _estimate(one.rate_after_first),
        "first_seconds": _quantile(one.first),
        "gap_seconds": [_quantile(gap) for gap in one.gaps],
        "drafted": one.drafted,
        "accepted": one.accepted,
        "tokens_per_burst": one.tokens_a_burst,
        "tokens_per_text": one.tokens_a_text,
    }


def _throughput_content(one: Throughput) -> dict[str, Any]:
    return {
        **_row_content(one),
        "repeats": one.repeats,
        "requests_per_run": one.orders,
        "tokens_per_second": _estimate(one.rate),
        "share_outside_target": one.outside,
        "share_drafting": one.drafting,
        "drafted": one.drafted,
        "accepted": one.accepted,
    }


def _tail_content(one: Tail) -> dict[str, Any]:
    return {
        **_row_content(one),
        "requests": one.requests,
        "empty": one.empty,
        "first_seconds": [_quantile(wait) for wait in one.first],
        "whole_seconds": [_quantile(wait) for wait in one.whole],
        "good_per_second": one.goodput,
        "limits": {"first_seconds": one.limits.first, "seconds_per_token": one.limits.a_token},
        "unserved_share": one.backlog,
        "saturated": one.saturated,
        "no_quantile_because": one.reason or None,
    }


def _comparison_content(one: Comparison) -> dict[str, Any]:
    return {
        **_cell_content(one.cell),
        "contender": one.drafting,
        "without_drafts": one.plain,
        "engine": one.engine,
        "speed_up": _estimate(one.speed_up),
        "refused": list(one.refusals),
        "pairs": len(one.pairs),
        "groups": one.groups,
        "noise": one.noise,
        "same_texts": one.same_texts,
    }


def _prediction_content(one: Prediction) -> dict[str, Any]:
    return {
        "workload": one.workload,
        "temperature": one.temperature,
        "contender": one.contender,
        "whole": _compared(one.whole),
        "after_first": _compared(one.decoding),
        "formula": _compared(one.formula),
        "steps": [step._asdict() for step in one.steps],
        "acceptance": {
            "share": one.acceptance.share,
            "width": one.acceptance.width,
            "tokens_per_pass": one.acceptance.block_efficiency,
            "by_place": [place._asdict() for place in one.acceptance.positions],
        },
        "draft_share": one.draft_share,
        "rows_cost": one.rows_cost,
        "drift": {"without_drafts": one.plain_drift, "with_drafts": one.drafted_drift},
        "sentences": one.sentences,
    }


def _compared(one: Compared) -> dict[str, Any]:
    return {"predicted": one.predicted, "observed": one.observed, "holds": one.holds}


def _estimate(found: Estimate | None) -> dict[str, Any] | None:
    return None if found is None else {"value": found.value, "interval": None if found.low is None else [found.low, found.high]}


def _quantile(found: Quantile | TooFew) -> dict[str, Any]:
    """A quantile that is not claimed has no value, and says how many observations it takes."""
    if isinstance(found, TooFew):
        return {"q": found.q, "value": None, "interval": None, "worth": found.worth, "needed": found.needed}
    return {"q": found.q, "value": found.value, "interval": [found.low, found.high], "worth": found.worth, "needed": None}
