"""The zoo as lines for a reader and as JSON values: what is in it, one member, and how the prover did on it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from rich.text import Text

from draftproof.proof.campaign import Word
from draftproof.proof.decoders.counterexample import Counterexample
from draftproof.proof.decoders.judge import Finding
from draftproof.proof.zoo.member import MECHANISMS, Member
from draftproof.proof.zoo.trial import Trial
from draftproof.report.findings import counterexample_lines, finding_line
from draftproof.report.junit import Case
from draftproof.report.numbers import both, decimal, number
from draftproof.report.text import Indented
from draftproof.report.verdicts import STYLES

MOST_OUTPUTS = 8
"""Of a law that are shown; those whose probability is furthest off come first."""


def list_lines(members: Sequence[Member]) -> list[Text | Indented]:
    """Every member under its mechanism, the controls last."""
    lines: list[Text | Indented] = []
    for mechanism, some in groupby(members, key=lambda member: member.mechanism):
        heading = f"{mechanism}  {MECHANISMS[mechanism]}" if mechanism else "controls  exact, although they look wrong"
        lines.append(Text(heading, style="bold"))
        for member in some:
            lines.append(Indented(Text.assemble((member.name, "cyan"), f": {member.title}"), 4))
            if member.reports:
                lines.append(Indented(Text(f"reported as {', '.join(member.reports)}"), 8))
    faults = sum(bool(member.mechanism) for member in members)
    lines.append(
        Text(
            f"{faults} faults, {len(members) - faults} controls. One of them: draftproof zoo NAME. The prover on all: draftproof zoo --run"
        )
    )
    return lines


def member_content(member: Member) -> dict[str, Any]:
    """What is known of a member, as JSON values."""
    return {
        "name": member.name,
        "mechanism": member.mechanism,
        "title": member.title,
        "reports": list(member.reports),
        "fixtures": member.fixtures,
        "distances": dict(member.distances),
    }


def member_lines(member: Member, source: str, findings: Sequence[Finding], example: Counterexample | None) -> Iterator[Text]:
    """The file of a member, the verdict on each of its fixtures, and its law beside the one it should have."""
    yield from map(Text, source.splitlines())
    yield Text("")
    yield from (Text(finding_line(finding)) for finding in findings)
    yield Text("")
    if example:
        yield from map(Text, counterexample_lines(example))
        yield from map(Text, _law(example.finding))
    else:
        yield Text("Its law is the one it should have, on every fixture.")


def _law(finding: Finding) -> Iterator[str]:
    def pair(output: Any) -> tuple[Fraction, Fraction]:
        return finding.observed.law.get(output, Fraction(0)), finding.expected.get(output, Fraction(0))

    def gap(output: Any) -> Fraction:
        observed, expected = pair(output)
        return abs(observed - expected)

    outputs = sorted(finding.observed.law.keys() | finding.expected.keys(), key=lambda output: (-gap(output), str(output)))
    shown = outputs[:MOST_OUTPUTS]
    width = max(len(str(output)) for output in shown)
    yield f"{'output':<{width}}  {'probability':<28}  it should have"
    for output in shown:
        observed, expected = pair(output)
        yield f"{output!s:<{width}}  {both(observed):<28}  {both(expected)}"
    if len(outputs) > len(shown):
        yield f"and {len(outputs) - len(shown)} outputs that are less far off"


def trial_line(trial: Trial) -> Text:
    """One member on trial."""
    word = "right" if trial.right else "WRONG"
    verdict = f"{trial.word:<12}  {trial.mechanism or 'control':<7}  {trial.name:<38}  distance {decimal(trial.distance):<9}"
    others = [name for name in trial.named if name != trial.name]
    naming = f"  named, with {', '.join(others)}" if others and trial.right else "  named" if trial.named and trial.right else ""
    return Text.assemble((f"{word}  ", "green" if trial.right else "red"), verdict, naming, f"  {trial.seconds:.1f} s")


def summary(trials: Sequence[Trial], seconds: float) -> Text:
    """The verdict on the prover."""
    faults = [trial for trial in trials if trial.mechanism]
    controls = [trial for trial in trials if not trial.mechanism]
    right = all(trial.right for trial in trials)
    parts = [f"{sum(trial.right for trial in faults)} of {len(faults)} faults found and named"] * bool(faults)
    parts += [f"{sum(trial.right for trial in controls)} of {len(controls)} controls acquitted"] * bool(controls)
    runs = sum(trial.runs for trial in trials)
    word = Word.PASS if right else Word.FAIL
    return Text.assemble((word.value, STYLES[word]), f"  {', '.join(parts)}; {runs:,} runs in {seconds:.0f} s")


def trials_content(trials: Sequence[Trial], seconds: float) -> dict[str, Any]:
    """All trials as JSON values."""
    return {
        "evidence": "law",
        "word": Word.PASS if all(trial.right for trial in trials) else Word.FAIL,
        "trials": [
            {**trial._asdict(), "distance": number(trial.distance), "named": list(trial.named), "right": trial.right} for trial in trials
        ],
        "seconds": seconds,
    }


def cases(trials: Sequence[Trial]) -> list[Case]:
    """A case for each member: it passes if the prover was right about it."""
    return [
        Case(
            trial.name,
            Word.PASS if trial.right else Word.FAIL,
            trial.seconds,
            f"{trial.word}, named {list(trial.named)}",
            str(trial_line(trial)),
        )
        for trial in trials
    ]
