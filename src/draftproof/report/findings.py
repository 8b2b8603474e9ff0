"""What was found of a function that knows nothing of us, as text to paste into an issue."""

import platform
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from draftproof import __version__
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.counterexample import Counterexample, Place
from draftproof.proof.decoders.diagnosis import Diagnosis
from draftproof.proof.decoders.judge import Finding
from draftproof.proof.explore import Decision
from draftproof.proof.foreign import ProgramLaw
from draftproof.proof.zoo.member import MECHANISMS
from draftproof.proof.zoo.naming import Suspect
from draftproof.report.numbers import both, decimal, written
from draftproof.report.text import printable
from draftproof.report.verdicts import Exit

EXITS = {
    Word.PASS: Exit.PASS,
    Word.FAIL: Exit.FAIL,
    Word.INCONCLUSIVE: Exit.INCONCLUSIVE,
    Word.SKIPPED: Exit.NOTHING_TESTED,
    Word.ERROR: Exit.CRASH,
}
"""The exit code of a command with that verdict."""

MOST_DECISIONS = 12
"""On the way to an output that are listed."""

MOST_OUTCOMES = 50
"""Of a program's law that are listed for a reader; the document has all."""

MOST_SUSPECTS = 5
"""That are listed by name; more say little."""


def finding_line(finding: Finding) -> str:
    """One fixture: verdict, distance, runs and time."""
    done = finding.observed.progress
    return f"{finding.word:<12}  {finding.fixture.name:<28}  {distance_words(finding):<34}  {done.replays:>7,} runs  {done.seconds:>6.2f} s"


def text(found: Diagnosis) -> str:
    """All of it, for a reader who was not there."""
    return "\n".join([headline(found), *map("  {}".format, _details(found))])


def headline(found: Diagnosis) -> str:
    """The verdict in a sentence."""
    word, reason = found.conclusion
    if word is Word.PASS:
        return f"{found.name} is exact on {len(found.findings)} fixtures: the distance is {_largest(found)}"
    if word is Word.FAIL:
        worst = found.worst
        return f"{found.name} is not exact: on {worst.fixture.name!r} total variation {written(worst.distance.lowest)} to the target's law"
    return f"{found.name} was not shown to be exact: {reason}"


def _largest(found: Diagnosis) -> str:
    largest = max(finding.distance.highest for finding in found.findings)
    return f"at most {decimal(largest)}, which rounding explains" if largest else "0, as an equality of fractions"


def _details(found: Diagnosis) -> Iterator[str]:
    if found.counterexample:
        yield from counterexample_lines(found.counterexample)
        yield from named(found.suspects)
    failing = sum(finding.word is Word.FAIL for finding in found.findings)
    if failing:
        yield f"wrong on {failing} of {len(found.findings)} fixtures; on these rounding explains at most {decimal(_explained(found))}"
    strayed = sum(finding.engagement.strayed for finding in found.findings if finding.engagement)
    if strayed:
        yield "it went on after emitting a token that was not the drafted one"
    yield (
        f"ran as signature {found.signature!r} with {found.arrays} arrays on the fixtures {', '.join(found.families)}: "
        f"{found.runs:,} runs in {found.seconds:.1f} s; {', '.join(versions(found))}"
    )


def _explained(found: Diagnosis) -> Fraction:
    return max(finding.explained for finding in found.findings)


def counterexample_lines(example: Counterexample) -> Iterator[str]:
    """Request, rows, output and both probabilities, for a reader."""
    fixture = example.finding.fixture
    yield f"smallest counterexample: {fixture.name}, prompt {list(fixture.prompt)}, {_drafts(fixture.widths)}"
    for place, where in _with_place(example.places):
        yield f"  {where} the target's law is {_row(place.target)}, the draft's {_row(place.draft)}"
    yield f"  output {_output(example.output)} has probability {both(example.observed)}; it should have {both(example.expected)}"
    for number_of, decision in enumerate(example.decisions[:MOST_DECISIONS], start=1):
        yield f"  {'its likeliest way' if number_of == 1 else 'then':>17}: {_decision(decision)}"
    if len(example.decisions) > MOST_DECISIONS:
        yield f"  and {len(example.decisions) - MOST_DECISIONS} more decisions"


def _decision(decision: Decision) -> str:
    """What was decided, and with what chance it went that way."""
    chance = Fraction(decision.weights[decision.taken]) / sum(decision.weights, Fraction(0))
    return f"{decision.what or 'decision'}: branch {decision.taken} of {len(decision.weights)}, probability {decimal(chance)}"


def _with_place(places: Sequence[Place]) -> Iterator[tuple[Place, str]]:
    """Places with equal rows are one line."""
    alike: dict[tuple[Any, Any], list[Place]] = {}
    for place in places:
        alike.setdefault((place.target, place.draft), []).append(place)
    for same in alike.values():
        yield same[0], f"after {' and '.join(str(list(place.context)) for place in same)}"


def _drafts(widths: tuple[int, ...]) -> str:
    return f"{' then '.join(map(str, widths))} drafted a round"


def _row(row: Sequence[Fraction]) -> str:
    return f"({', '.join(map(str, row))})"


def _output(output: Any) -> str:
    return printable(str(list(output)) if isinstance(output, tuple) else str(output))


def named(suspects: Sequence[Suspect]) -> Iterator[str]:
    """The known faults that have the observed laws, a line each."""
    if not suspects:
        yield "no known mechanism has this law"
    for member, distance in suspects[:MOST_SUSPECTS]:
        yield (
            f"consistent with {member.mechanism} ({MECHANISMS[member.mechanism]}), {member.name}: {member.title} "
            f"Distance {decimal(distance)}; reported as {', '.join(member.reports) or 'nothing public'}"
        )
    if len(suspects) > MOST_SUSPECTS:
        yield f"and with {len(suspects) - MOST_SUSPECTS} others: {', '.join(one.member.name for one in suspects[MOST_SUSPECTS:])}"


def versions(found: Diagnosis) -> list[str]:
    """What ran: this package, Python, and the libraries that had a part in it."""
    libraries = dict.fromkeys([found.name.partition(":")[0].partition(".")[0], "torch" if "torch" in found.arrays else "numpy"])
    known = [(name, getattr(sys.modules.get(name), "__version__", None)) for name in libraries]
    return [
        f"draftproof {__version__}",
        f"Python {platform.python_version()}",
        *(f"{name} {version}" for name, version in known if version),
    ]


def law_lines(found: ProgramLaw) -> list[str]:
    """The law of a program for a reader, likeliest outcomes first."""
    ordered = sorted(found.law.items(), key=lambda item: -item[1])
    width = max((len(_output(outcome)) for outcome, _ in ordered[:MOST_OUTCOMES]), default=0)
    done = found.progress
    lines = [f"{_output(outcome):<{width}}  {both(probability)}" for outcome, probability in ordered[:MOST_OUTCOMES]]
    if len(ordered) > MOST_OUTCOMES:
        lines.append(f"and {len(ordered) - MOST_OUTCOMES:,} outcomes that are less likely")
    return [*lines, f"{done.replays:,} runs in {done.seconds:.1f} s saw {_share(found)} of the probability; nothing was judged"]


def _share(found: ProgramLaw) -> str:
    return "all" if found.complete else f"{decimal(found.progress.explored)}"


def distance_words(finding: Finding) -> str:
    """How far a fixture is from its law: one number, or two bounds."""
    lowest, highest = finding.distance
    if lowest == highest:
        return f"distance {written(lowest, longest=16)}"
    return f"distance {decimal(lowest)} to {decimal(highest)}"
