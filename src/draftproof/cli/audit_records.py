"""`draftproof audit FILE.jsonl`: a log of requests, judged by a trusted target or by the log-probabilities that stand in it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from draftproof.cli.audit_job import Shown, gathered, judging
from draftproof.cli.progress import progress

if TYPE_CHECKING:
    from draftproof.audit.law.plan import Goal
    from draftproof.report.audit import AuditReport


def audit_records(file: Path, weights: str, draft: str, goal: "Goal", band: float, shown: Shown) -> tuple["AuditReport", list[Exception]]:
    """The report on a log, and the fault of ours that ended it early, if one did.

    The whole file is read once before anything is judged, so nothing is reported of half a log.
    """
    from draftproof.audit.conditions import check_band
    from draftproof.audit.judgement import Audit
    from draftproof.audit.logs.log import logged, run
    from draftproof.models.weights import load
    from draftproof.report.audit import AuditReport, Environment, raw_hash

    check_band(band)
    with progress(1, wanted=shown.progress) as at:
        at.at(0, f"reading {file}")
        target = load(weights) if weights else None
        log = logged(file, vocab=target.model.vocab if target else None)
        drafter = load(draft) if draft else None
        report = AuditReport(Audit(log.facts), ["draftproof", *sys.argv[1:]], Environment.here(), raw_hash(file))
        faults = gathered(run(log, target, drafter, goal, band=band, told=judging(at)), report, at, lines=shown.lines)
    return report, faults
