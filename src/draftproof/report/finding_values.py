"""What was found of a function that knows nothing of us, for programs: JSON values, and cases of a JUnit document."""

from typing import Any

from draftproof.proof.decoders.counterexample import Counterexample
from draftproof.proof.decoders.diagnosis import Diagnosis
from draftproof.proof.decoders.judge import Finding
from draftproof.proof.foreign import ProgramLaw
from draftproof.report.findings import distance_words, finding_line, headline, text, versions
from draftproof.report.junit import Case
from draftproof.report.numbers import number


def content(found: Diagnosis) -> dict[str, Any]:
    """All of it as JSON values."""
    return {
        "evidence": "law",
        "word": found.conclusion.word,
        "reason": found.conclusion.reason,
        "function": found.name,
        "signature": found.signature,
        "arrays": found.arrays,
        "families": list(found.families),
        "versions": versions(found),
        "findings": [finding_content(finding) for finding in found.findings],
        "counterexample": found.counterexample and counterexample_content(found.counterexample),
        "suspects": [
            {
                "mechanism": member.mechanism,
                "name": member.name,
                "title": member.title,
                "reports": list(member.reports),
                "distance": number(gap),
            }
            for member, gap in found.suspects
        ],
        "all_compared": found.all_compared,
        "half_precision": found.half_precision,
        "stopped": found.stopped,
        "defaults": list(found.defaults),
        "runs": found.runs,
        "seconds": found.seconds,
        "naming_seconds": found.naming_seconds,
    }


def finding_content(finding: Finding) -> dict[str, Any]:
    """One fixture as JSON values."""
    done = finding.observed.progress
    return {
        "fixture": finding.fixture.name,
        "word": finding.word,
        "distance": {"lowest": number(finding.distance.lowest), "highest": number(finding.distance.highest)},
        "explained_by_rounding": float(finding.explained),
        "runs": done.replays,
        "paths": done.paths,
        "explored": float(done.explored),
        "seconds": done.seconds,
    }


def counterexample_content(example: Counterexample) -> dict[str, Any]:
    """The same as JSON values."""
    fixture = example.finding.fixture
    return {
        "fixture": fixture.name,
        "prompts": [list(prompt) for prompt in fixture.prompts],
        "length": fixture.length,
        "widths": list(fixture.widths),
        "places": [
            {
                "context": list(place.context),
                "target": [str(value) for value in place.target],
                "draft": [str(value) for value in place.draft],
            }
            for place in example.places
        ],
        "output": example.output,
        "decisions": [
            {"what": one.what, "weights": [str(weight) for weight in one.weights], "taken": one.taken} for one in example.decisions
        ],
        "observed": number(example.observed),
        "expected": number(example.expected),
    }


def law_content(name: str, found: ProgramLaw) -> dict[str, Any]:
    """The law of a program as JSON values."""
    done = found.progress
    return {
        "function": name,
        "law": [{"outcome": outcome if _is_plain(outcome) else str(outcome), **number(chance)} for outcome, chance in found.law.items()],
        "complete": found.complete,
        "runs": done.replays,
        "explored": number(done.explored),
        "seconds": done.seconds,
    }


def _is_plain(outcome: Any) -> bool:
    """Whether JSON has a form of its own for it."""
    return all(map(_is_plain, outcome)) if isinstance(outcome, tuple) else isinstance(outcome, str | int | float | bool | None)


def cases(found: Diagnosis) -> list[Case]:
    """A case for each fixture, and one for the verdict on all of them."""
    each = [
        Case(finding.fixture.name, finding.word, finding.observed.progress.seconds, distance_words(finding), finding_line(finding))
        for finding in found.findings
    ]
    return [*each, Case("all fixtures together", found.conclusion.word, 0.0, headline(found), text(found))]
