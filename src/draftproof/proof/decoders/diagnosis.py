"""A stranger's function judged, and if it is wrong, the smallest counterexample and the known faults that have its law."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.counterexample import Counterexample, smallest
from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.decoders.judge import Conclusion, Finding, conclude, judge
from draftproof.proof.decoders.signatures import SIGNATURES, Adapted, adapt, check_families
from draftproof.proof.decoders.standard import family
from draftproof.proof.foreign import Budget, Progress
from draftproof.proof.laws import rounding_bound
from draftproof.proof.zoo.naming import Suspect, suspects

LENGTH = 3
"""Tokens of a text on which a verifier is proven. The loop around it is ours; three are two rounds wherever a draft was
refused, and take a third of the runs that four do."""

WIDTHS = (2, 1, 3, 4)
"""Draft lengths under which the law of a whole decode loop, which draws its own drafts, is looked for among known faults."""


@dataclass(frozen=True)
class Diagnosis:
    """What was found of a function.

    Attributes:
        name: `module:function`.
        signature, arrays, families: how it was called, and on which fixtures.
        findings: one for each fixture.
        conclusion: the verdict, and why it is neither PASS nor FAIL.
        counterexample: the smallest; None unless the verdict is FAIL.
        suspects: the known faults that give the same laws; none if the verdict is not FAIL.
    """

    name: str
    signature: str
    arrays: str
    families: tuple[str, ...]
    findings: tuple[Finding, ...]
    conclusion: Conclusion
    counterexample: Counterexample | None = None
    suspects: tuple[Suspect, ...] = ()

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


@dataclass(frozen=True)
class Plan:
    """How a function is to be proven.

    Attributes:
        adapted: the function as a subject of proof.
        families: of standard fixtures.
        fixtures: theirs, in order.
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
    ) -> Diagnosis:
        """The verdict on the function, and what is wrong with it.

        Args:
            budget: runs on each fixture, and seconds of all of them together.
            on_finding: called with each finding as it is made.

        Raises:
            BadRequest, Untracked, NotReproducible: its law cannot be known; the message says why.
        """
        adapted, findings = self.adapted, []
        for finding in judge(adapted.subject, self.fixtures, budget=budget, progress=progress):
            findings.append(finding)
            on_finding(finding)
        found = Diagnosis(adapted.subject.name, adapted.signature, adapted.arrays, self.families, tuple(findings), conclude(findings))
        if found.conclusion.word is not Word.FAIL:
            return found
        _check_fractions(found)
        counterexample = smallest(adapted.subject, findings)
        complete = [finding for finding in (counterexample.finding, *findings) if finding.observed.complete]
        return replace(found, counterexample=counterexample, suspects=tuple(_suspects(complete, adapted.signature)))


def plan(function: Callable[..., Any], *, signature: str | None = None, arrays: str | None = None, families: Sequence[str] = ()) -> Plan:
    """How to prove a function.

    Args:
        signature, arrays: of `SIGNATURES` and `KINDS`; inferred if they can be.
        families: of standard fixtures; those of the signature if none are named.

    Raises:
        BadRequest: it cannot be called so.
    """
    adapted = adapt(function, signature=signature, arrays=arrays)
    names = tuple(dict.fromkeys(families)) or adapted.families
    check_families(adapted.signature, names)
    fixtures = [replace(fixture, name=f"{name}: {fixture.name}") for name in names for fixture in family(name)]
    if SIGNATURES[adapted.signature].verifier:
        fixtures = [fixture if fixture.length <= LENGTH else replace(fixture, length=LENGTH) for fixture in fixtures]
    return Plan(adapted, names, tuple(fixtures))


def _suspects(findings: Sequence[Finding], signature: str) -> list[Suspect]:
    if SIGNATURES[signature].verifier:
        return suspects(findings)
    for width in WIDTHS:
        drafted = [replace(finding, fixture=replace(finding.fixture, widths=(width,))) for finding in findings]
        if named := suspects(drafted):
            return named
    return []


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
