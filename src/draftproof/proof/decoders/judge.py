"""The verdict on a decoder: on each fixture, how far what it returns is from the law it should follow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Any, NamedTuple

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.engagement import Engagement
from draftproof.proof.decoders.fixture import Fixture, expected_law
from draftproof.proof.decoders.returned import path_chance
from draftproof.proof.foreign import Budget, ProgramLaw, Progress
from draftproof.proof.laws import Bounds, Difference, compare, rounding_bound

LEAST_SECONDS = 1e-6
"""What is left to a fixture that is met after all time is spent: one run is made, and nothing is concluded from it."""


class Subject(NamedTuple):
    """A decoder under proof.

    Attributes:
        name: in reports.
        explore: (fixture, budget, progress) -> the law of what it returns.
        bits: of the significand in which it computes; None if it computes in fractions.
        engagement: counts what it does with drafts while it is explored; None if nobody counts.
    """

    name: str
    explore: Callable[[Fixture, Budget, Callable[[Progress], None] | None], ProgramLaw]
    bits: int | None = None
    engagement: Engagement | None = None


@dataclass(frozen=True)
class Finding:
    """What a decoder does on one fixture.

    Attributes:
        observed: the law of what it returned.
        expected: the law it should follow.
        explained: what total variation rounding alone can explain.
        engagement: what it did with drafts; None if nobody counted.
    """

    fixture: Fixture
    observed: ProgramLaw
    expected: dict[tuple[Any, ...], Fraction]
    explained: Fraction
    engagement: Engagement | None = None

    @property
    def distance(self) -> Bounds:
        """Between which numbers the total variation lies."""
        return self.observed.distance(self.expected)

    @property
    def difference(self) -> Difference:
        """Where the two laws differ most, as far as the first is known."""
        return compare(self.observed.law, self.expected)

    @property
    def word(self) -> Word:
        """FAIL if more than rounding is wrong; PASS if all was explored and nothing is; SKIPPED if it never drafted."""
        if self.distance.lowest > self.explained:
            return Word.FAIL
        if self.distance.highest > self.explained:
            return Word.INCONCLUSIVE
        return Word.SKIPPED if self.engagement and not self.engagement.drafted else Word.PASS


def judge(
    subject: Subject,
    fixtures: Iterable[Fixture],
    *,
    budget: Budget = Budget(),  # noqa: B008  # immutable
    progress: Callable[[Fixture, Progress], None] | None = None,
) -> Iterator[Finding]:
    """A finding for each fixture, as it is made.

    Args:
        budget: runs on each fixture, and seconds of all of them together. Each is given an equal share of the seconds that are
            left, so what one does not use is for those after it. Once one has failed, a share is kept for naming the fault.

    Raises:
        Untracked, NotReproducible, BadRequest: as `explore_program` does; a BadRequest names the fixture.
    """
    budget.check()
    start, waiting, failed = monotonic(), list(fixtures), False
    for place, fixture in enumerate(waiting):
        share = (budget.seconds - (monotonic() - start)) / (len(waiting) - place + failed)
        observed = _explored(subject, fixture, Budget(budget.replays, max(share, LEAST_SECONDS)), progress)
        explained = observed.rounding
        if subject.bits:
            explained += rounding_bound(decisions=observed.decisions, outcomes=fixture.vocab, bits=subject.bits)
        engagement = subject.engagement.take() if subject.engagement else None
        finding = Finding(fixture, observed, expected_law(fixture), explained, engagement)
        failed = failed or finding.word is Word.FAIL
        yield finding


def _explored(subject: Subject, fixture: Fixture, budget: Budget, progress: Callable[[Fixture, Progress], None] | None) -> ProgramLaw:
    """The law of what the subject returns.

    Raises:
        BadRequest: it cannot be known; the message names the fixture and how likely such a run is.
    """
    if subject.engagement:
        subject.engagement.take()
    try:
        return subject.explore(fixture, budget, progress and (lambda done: progress(fixture, done)))
    except BadRequest as error:
        chance = path_chance(error)
        how_likely = f", on a path of probability {float(chance):.3g}" if chance else ""
        raise BadRequest(f"{error}; on the fixture {fixture.name!r}{how_likely}") from error


def cost(fixture: Fixture) -> int:
    """What a proof on it takes, in comparison with others: how many outputs there may be."""
    return fixture.vocab ** (fixture.length * len(fixture.prompts))


class Conclusion(NamedTuple):
    """What follows from all findings together.

    Attributes:
        reason: why it is neither PASS nor FAIL; empty otherwise.
    """

    word: Word
    reason: str


def conclude(findings: Sequence[Finding]) -> Conclusion:
    """FAIL if one fails; PASS if all are known, none is wrong, and drafts were kept and refused over several rounds."""
    words = {finding.word for finding in findings}
    if Word.FAIL in words:
        return Conclusion(Word.FAIL, "")
    if Word.INCONCLUSIVE in words:
        return Conclusion(Word.INCONCLUSIVE, _what_is_left(findings))
    if not findings:
        return Conclusion(Word.SKIPPED, "nothing was tested: there are no fixtures")
    counted = [finding.engagement for finding in findings if finding.engagement]
    if counted:
        several_rounds = any(finding.fixture.length > 1 for finding in findings)
        if missing := sum(counted, Engagement()).missing(several_rounds=several_rounds):
            return Conclusion(Word.SKIPPED, f"nothing was tested: {missing}")
    return Conclusion(Word.PASS, "")


def _what_is_left(findings: Sequence[Finding]) -> str:
    """How far the unfinished proofs came, and what to do."""
    left = [finding for finding in findings if finding.word is Word.INCONCLUSIVE]
    worst = max(left, key=lambda finding: finding.distance.highest)
    done = worst.observed.progress
    return (
        f"{len(left)} of {len(findings)} fixtures take more than the budget: on {worst.fixture.name!r} {done.replays:,} runs saw "
        f"{float(done.explored):.3g} of the probability, and the distance lies between {float(worst.distance.lowest):.3g} and "
        f"{float(worst.distance.highest):.3g}; allow more runs or seconds, or name fewer families"
    )
