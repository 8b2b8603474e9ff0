"""An audit for programs: JSON values, and cases of a JUnit document."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from draftproof.audit.check import Check, Kind
from draftproof.audit.judgement import Condition
from draftproof.report.audit import AuditReport
from draftproof.report.document import document
from draftproof.report.judged import OPINIONS, Judged, Suspicion, opinions, sentences, thinned
from draftproof.report.junit import Case


def run_document(report: AuditReport) -> str:
    """The text of `run.json`."""
    return document("audit", content(report))


def content(report: AuditReport) -> dict[str, Any]:
    """All of it as JSON values. A number that is not finite is null."""
    facts = report.audit.facts
    return plain(
        {
            "word": report.word,
            "exit_code": int(report.exit),
            "headline": report.headline,
            "ended": report.ended,
            "engine": {
                "name": facts.name,
                "tier": facts.tier,
                "drafts": facts.drafts,
                "ends": sorted(facts.ends),
                "settings": dict(sorted(facts.settings.items())),
            },
            "evidence": [kind for kind in Kind if any(kind is one for one, *_ in report.entries)],
            "conditions": [_judged_content(one) for one in report.judged],
            "refuted_together": [one.condition.name for one in report.audit.refuted],
            "family_alpha": report.alpha,
            "checks": [_check_content(check) for check in report.audit.checks],
            "could_not_see": report.blind_spots,
            "command": list(report.command),
            "environment": {
                "versions": dict(report.environment.versions),
                "machine": report.environment.machine,
                "date": report.environment.date,
            },
            "raw_sha256": report.raw,
            "seconds": report.seconds,
        }
    )


def _judged_content(judged: Judged) -> dict[str, Any]:
    judgement, counters = judged.judgement, judged.judgement.counters
    return {
        "name": judged.name,
        "evidence": judged.kind,
        "word": judged.word,
        "reason": judged.reason,
        "error": judgement.error,
        "plan": _plan_content(judgement.condition),
        "tokens": judged.tokens,
        "log_e": judgement.law.log_e,
        "suspects": [_suspicion_content(one) for one in judged.suspicions],
        "counters": {
            "answers": counters.answers,
            "lost": counters.lost,
            "drafted": counters.drafted,
            "accepted": counters.accepted,
            "engaged": counters.engaged,
            "contradictions": counters.contradictions,
        },
        "growth": thinned(judgement.law.growth()),
        "second_opinions": [{"name": name, "tests": OPINIONS[name], "p_value": value} for name, value in opinions(judged).items()],
        "seconds": judgement.seconds,
    }


def _plan_content(condition: Condition) -> dict[str, Any]:
    plan, goal = condition.plan, condition.plan.goal
    return {
        "params": {name: getattr(condition.params, name) for name in sorted(condition.params.given)},
        "judged_by": "a trusted copy" if condition.reference else "the laws that the engine tells",
        "alpha": goal.alpha,
        "effect": goal.effect,
        "length": goal.length,
        "most_tokens": plan.tokens,
        "band": condition.band,
        "seed": condition.seed,
        "prompts": plan.prompts,
        "watched": plan.watched,
        "unseen": plan.unseen,
    }


def _suspicion_content(one: Suspicion) -> dict[str, Any]:
    finding = one.finding
    return {
        "name": one.name,
        "mechanism": finding.suspect.mechanism,
        "says": finding.suspect.says,
        "log_e": finding.log_e,
        "share": finding.share,
        "interval": finding.interval,
        "standing": one.standing,
        "watched": one.watched,
        "detectable": one.detectable,
    }


def _check_content(check: Check) -> dict[str, Any]:
    return {
        "name": check.name,
        "evidence": check.kind,
        "word": check.word,
        "sentence": check.sentence,
        "details": check.details,
        "values": check.values,
    }


def plain(value: Any) -> Any:
    """The same in the types that JSON has. What it has no form for becomes the name of its type."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value), key=repr)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else type(value).__name__


def cases(report: AuditReport) -> list[Case]:
    """A case for each condition, one for each check, and one for how the audit ended if it did not end well."""
    law = [Case(f"{one.kind}: {one.name}", one.word, one.judgement.seconds, one.reason, "\n".join(sentences(one))) for one in report.judged]
    checks = [
        Case(f"{check.kind}: {check.name}", check.word, 0.0, check.sentence, "\n".join((check.sentence, *check.details)))
        for check in report.audit.checks
    ]
    found = [*law, *checks]
    whole = Case("the audit as a whole", report.word, 0.0, report.headline, "\n".join(report.blind_spots))
    return found if report.word in {case.word for case in found} else [*found, whole]
