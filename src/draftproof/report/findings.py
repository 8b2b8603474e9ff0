"""What was found of a function that knows nothing of us, as text to paste into an issue."""

import platform
import re
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from draftproof import __version__
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.counterexample import Counterexample, Place
from draftproof.proof.decoders.diagnosis import Diagnosis
from draftproof.proof.decoders.judge import Finding
from draftproof.proof.decoders.signatures import SIGNATURES
from draftproof.proof.explore import Decision
from draftproof.proof.foreign import ProgramLaw
from draftproof.proof.zoo.member import MECHANISMS
from draftproof.proof.zoo.naming import Suspect
from draftproof.report.numbers import decimal, written
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

MOST_DIGITS = 12
"""Of a denominator that is shown; a longer one says nothing that the decimal does not."""

COMPARISON = re.compile(r"uniform number (\d+) below or above")
"""What a decision about a random number is called."""

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
        return f"{found.name} is not exact: on {worst.fixture.name!r} total variation {_both(worst.distance.lowest)} to the target's law"
    return f"{found.name} was not shown to be exact: {reason}"


def _largest(found: Diagnosis) -> str:
    largest = max(finding.distance.highest for finding in found.findings)
    return f"at most {decimal(largest)}, which rounding explains" if largest else "0, as an equality of fractions"


def _details(found: Diagnosis) -> Iterator[str]:
    if found.counterexample:
        yield from counterexample_lines(found.counterexample, drafts=SIGNATURES[found.signature].verifier is not None)
        yield from named(found.suspects) if found.all_compared else ["not all known faults were compared: the seconds were used up"]
    if found.half_precision:
        yield f"rounding in half precision ({found.half_precision}) inside the function could explain it"
    if found.stopped:
        yield f"the proof ended before all fixtures were met: {printable(found.stopped)}"
    failing = sum(finding.word is Word.FAIL for finding in found.findings)
    if failing:
        yield f"wrong on {failing} of {len(found.findings)} fixtures; on these rounding explains at most {decimal(_explained(found))}"
    strayed = sum(finding.engagement.strayed for finding in found.findings if finding.engagement)
    if strayed:
        yield "it went on after emitting a token that was not the drafted one"
    yield (
        f"ran as signature {found.signature!r} with {found.arrays} arrays on the fixtures {', '.join(found.families)}: "
        f"{found.runs:,} runs in {found.seconds:.1f} s{_naming(found)}; {', '.join(versions(found))}"
    )
    if found.defaults:
        yield f"called with the defaults {', '.join(found.defaults)}"


def _naming(found: Diagnosis) -> str:
    return f" and {found.naming_seconds:.1f} s to find the counterexample and its name" if found.counterexample else ""


def _explained(found: Diagnosis) -> Fraction:
    return max(finding.explained for finding in found.findings)


def counterexample_lines(example: Counterexample, *, drafts: bool = True) -> Iterator[str]:
    """Request, rows, output and both probabilities, for a reader.

    Args:
        drafts: whether the fixture says how many tokens are drafted; a whole decode loop drafts what it wants.
    """
    fixture = example.finding.fixture
    widths = f", {_drafts(fixture.widths)}" if drafts else ""
    observed, expected = _apart(example.observed, example.expected)
    yield f"smallest counterexample: {fixture.name}, prompt {list(fixture.prompt)}{widths}"
    for place, where in _with_place(example.places):
        yield f"  {where} the target's law is {_row(place.target)}, the draft's {_row(place.draft)}"
    yield f"  output {_output(example.output)} has probability {observed}; it should have {expected}"
    for number_of, decision in enumerate(example.decisions[:MOST_DECISIONS]):
        first = all(decision.what != before.what for before in example.decisions[:number_of])
        yield f"  {'then' if number_of else 'its likeliest way':>17}: {_decision(decision, first=first)}"
    if len(example.decisions) > MOST_DECISIONS:
        yield f"  and {len(example.decisions) - MOST_DECISIONS} more decisions"


def _decision(decision: Decision, *, first: bool) -> str:
    """What was decided, and with what chance it went that way.

    Args:
        first: whether it is the first about a random number: then its threshold is its chance, else no more is known of it.
    """
    shares = [Fraction(weight) / sum(decision.weights, Fraction(0)) for weight in decision.weights]
    chance = shares[decision.taken]
    if compared := COMPARISON.fullmatch(decision.what):
        threshold = decimal(shares[0]) if first else "a further threshold"
        side = "below" if decision.taken == 0 else "not below"
        return f"random number {compared[1]} {side} {threshold} (probability {decimal(chance)})"
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
    return f"({', '.join(map(_short, row))})"


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
    lines = [f"{_output(outcome):<{width}}  {_both(probability)}" for outcome, probability in ordered[:MOST_OUTCOMES]]
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


def _is_short(value: Fraction) -> bool:
    return len(str(value.denominator)) <= MOST_DIGITS


def _short(value: Fraction) -> str:
    """The fraction if it is short, else its decimal."""
    return str(value) if _is_short(value) else f"{float(value):.6g}"


def _both(value: Fraction, digits: int = 4) -> str:
    """The fraction and its decimal, or the decimal alone if the fraction is long; an equals sign stands only between equals."""
    if not _is_short(value):
        return f"about {float(value):.{max(digits, 6)}g}"
    rounded = f"{float(value):.{digits}g}"
    if rounded == str(value):
        return rounded
    return f"{value} = {rounded}" if value == Fraction(rounded) else f"{value} (about {rounded})"


def _apart(one: Fraction, other: Fraction) -> tuple[str, str]:
    """Two numbers as `_both` writes them, with as many digits as it takes for their decimals to differ, if they do as floats."""
    digits = next((count for count in range(4, 18) if f"{float(one):.{count}g}" != f"{float(other):.{count}g}"), 17)
    return _both(one, digits), _both(other, digits)
