"""A stranger's function judged, and if it is wrong, the smallest counterexample and the known faults that have its law."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from draftproof.errors import BadRequest, Untracked
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.counterexample import Counterexample, smallest
from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.decoders.judge import Conclusion, Finding, conclude, cost, judge
from draftproof.proof.decoders.signatures import SIGNATURES, Adapted, adapt, check_families
from draftproof.proof.decoders.standard import family
from draftproof.proof.foreign import Budget, Progress
from draftproof.proof.laws import rounding_bound
from draftproof.proof.zoo.naming import Compared, Suspect, Told, compared

LENGTH = 3
"""Tokens of a text on which a verifier is proven. The loop around it is ours; three are two rounds wherever a draft was
refused, and take a third of the runs that four do."""

WIDTHS = (2, 1, 3, 4)
"""Draft lengths under which the law of a whole decode loop, which draws its own drafts, is looked for among known faults."""


HALVES = {"float16 or bfloat16": 11, "bfloat16": 8}
"""Bits of the significand; what the longer one explains, so does the shorter."""

USUAL = 10
"""The bound on rounding is at least so many times what rounding does. It excuses nothing here: it is only hinted at, and a
bound that explains every distance would be no hint."""


@dataclass(frozen=True)
class Diagnosis:
    """What was found of a function.

    Attributes:
        name: `module:function`.
        signature, arrays, families: how it was called, and on which fixtures.
        defaults: its further parameters with their values, as "name=value".
        findings: one for each fixture.
        conclusion: the verdict, and why it is neither PASS nor FAIL.
        counterexample: the smallest; None unless the verdict is FAIL.
        suspects: the known faults that give the same laws; none if the verdict is not FAIL.
        all_compared: False if there was no time to compare it with all known faults.
        naming_seconds: that counterexample and comparison took.
        stopped: the error that ended the proof after a fixture had failed; empty if none did.
    """

    name: str
    signature: str
    arrays: str
    families: tuple[str, ...]
    findings: tuple[Finding, ...]
    conclusion: Conclusion
    counterexample: Counterexample | None = None
    suspects: tuple[Suspect, ...] = ()
    all_compared: bool = True
    naming_seconds: float = 0.0
    stopped: str = ""
    defaults: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """That the findings took."""
        return sum(finding.observed.progress.replays for finding in self.findings)

    @property
    def seconds(self) -> float:
        """That these runs took."""
        return sum(finding.observed.progress.seconds for finding in self.findings)

    @property
    def worst(self) -> Finding:
        """The finding that is furthest from its law."""
        return max(self.findings, key=lambda finding: finding.distance.lowest)

    @property
    def half_precision(self) -> str:
        """The half precision whose rounding could explain every fixture that failed, where no known fault does; empty if none could."""
        failed = [finding for finding in self.findings if finding.word is Word.FAIL]
        if self.counterexample:
            failed.append(self.counterexample.finding)
        if self.suspects or not self.all_compared or not failed or not self.arrays.startswith(("torch", "numpy")):
            return ""
        for name, bits in HALVES.items():
            if all(_rounds(finding, bits) for finding in failed):
                return name
        return ""


@dataclass(frozen=True)
class Plan:
    """How a function is to be proven.

    Attributes:
        adapted: the function as a subject of proof.
        families: of standard fixtures.
        fixtures: theirs, cheapest first.
    """

    adapted: Adapted
    families: tuple[str, ...]
    fixtures: tuple[Fixture, ...]

    def diagnose(
        self,
        *,
        budget: Budget = Budget(),  # noqa: B008  # immutable
        progress: Callable[[Fixture, Progress], None] | None = None,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        on_naming: Told = lambda left, fixture: None,
    ) -> Diagnosis:
        """The verdict on the function, and what is wrong with it.

        Args:
            budget: runs on each fixture, and seconds of all of them and of naming the fault together.
            on_finding: called with each finding as it is made.
            on_naming: called before the laws on a fixture are compared with those of known faults.

        Raises:
            BadRequest, Untracked: its law cannot be known, and no fixture failed before that was seen; the message says why.
            NotReproducible: it keeps state from run to run, so no finding of it stands.
        """
        adapted, until = self.adapted, monotonic() + budget.seconds
        findings, stopped = self._judged(budget, progress, on_finding)
        found = Diagnosis(
            adapted.subject.name, adapted.signature, adapted.arrays, self.families, tuple(findings), conclude(findings),
            stopped=stopped, defaults=adapted.defaults,
        )  # fmt: skip
        if found.conclusion.word is not Word.FAIL:
            return found
        _check_fractions(found)
        began = monotonic()
        counterexample = smallest(adapted.subject, findings, until=until, progress=progress)
        complete = [finding for finding in (counterexample.finding, *findings) if finding.observed.complete]
        named = _compared(complete, adapted.signature, until, on_naming)
        return replace(
            found,
            counterexample=counterexample,
            suspects=named.suspects,
            all_compared=named.complete,
            naming_seconds=monotonic() - began,
        )

    def _judged(
        self, budget: Budget, progress: Callable[[Fixture, Progress], None] | None, on_finding: Callable[[Finding], None]
    ) -> tuple[list[Finding], str]:
        """The findings, and the error that ended them, if one of them is a FAIL: that stands whatever happens later."""
        findings: list[Finding] = []
        try:
            for finding in judge(self.adapted.subject, self.fixtures, budget=budget, progress=progress):
                findings.append(finding)
                on_finding(finding)
        except (BadRequest, Untracked) as error:
            if conclude(findings).word is not Word.FAIL:
                raise
            return findings, str(error)
        return findings, ""


def plan(function: Callable[..., Any], *, signature: str | None = None, arrays: str | None = None, families: Sequence[str] = ()) -> Plan:
    """How to prove a function.

    Args:
        signature, arrays: of `SIGNATURES` and `KINDS`; inferred if they can be.
        families: of standard fixtures, a name or several; those of the signature if none are named.

    Raises:
        BadRequest: it cannot be called so.
    """
    adapted = adapt(function, signature=signature, arrays=arrays)
    families = (families,) if isinstance(families, str) else families
    names = tuple(dict.fromkeys(families)) or adapted.families
    check_families(adapted.signature, names)
    fixtures = [replace(fixture, name=f"{name}: {fixture.name}") for name in names for fixture in family(name)]
    if SIGNATURES[adapted.signature].verifier:
        fixtures = [fixture if fixture.length <= LENGTH else replace(fixture, length=LENGTH) for fixture in fixtures]
    return Plan(adapted, names, tuple(sorted(fixtures, key=cost)))


def _compared(findings: Sequence[Finding], signature: str, until: float, told: Told) -> Compared:
    if signature == "row":  # it emits no bonus token, as the known faults do; so only the first token is theirs as well
        findings = [finding for finding in findings if finding.fixture.length == 1]
    if SIGNATURES[signature].verifier:
        return compared(findings, until=until, told=told)
    for width in WIDTHS:
        drafted = [replace(finding, fixture=replace(finding.fixture, widths=(width,))) for finding in findings]
        named = compared(drafted, until=until, told=told)
        if named.suspects or not named.complete:
            return named
    return Compared()


def _rounds(finding: Finding, bits: int) -> bool:
    """Whether a significand of that many bits explains the distance."""
    bound = rounding_bound(decisions=finding.observed.decisions, outcomes=finding.fixture.vocab, bits=bits)
    return finding.distance.lowest <= finding.observed.rounding + bound / USUAL


def _check_fractions(found: Diagnosis) -> None:
    """Return if a function of fractions is further off than floats are."""
    if found.arrays != "fractions":
        return
    for finding in found.findings:
        floats = rounding_bound(decisions=finding.observed.decisions, outcomes=finding.fixture.vocab, bits=53)
        if finding.distance.lowest > finding.explained + floats:
            return
    raise BadRequest(
        f"{found.name} is given fractions and is off by {float(found.worst.distance.lowest):.2g}, as floats round: it leaves fractions "
        "somewhere; choose other arrays, whose rounding is known"
    )
