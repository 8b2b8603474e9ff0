"""One condition of an audit, looked at once: the numbers and the sentences that every form of a report shares."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from draftproof.audit.check import Kind
from draftproof.audit.judgement import Judgement
from draftproof.audit.law.evidence import Finding
from draftproof.proof.campaign import Word

LONGEST_E = 6
"""Powers of ten up to which an e-value is written out."""

MOST_POINTS = 200
"""Of the growth of evidence that a report keeps; the raw data hold them all."""


class Standing(StrEnum):
    """What the tokens say of a suspect."""

    REFUTES = "refutes the target"
    """A share of 0 is excluded, so the tokens follow another law."""
    EXCLUDED = "excluded"
    """The share that was asked for, and every larger one, is excluded."""
    OPEN = "open"
    """Neither."""


@dataclass(frozen=True)
class Suspicion:
    """What is said of one suspect.

    Attributes:
        finding: what the tokens say.
        standing: in a word.
        watched: whether a PASS must exclude it.
        detectable: the smallest share that so many tokens find, in most audits; None if there is none, or it is not known.
    """

    finding: Finding
    standing: Standing
    watched: bool
    detectable: float | None

    @property
    def name(self) -> str:
        return self.finding.suspect.name

    @property
    def shares(self) -> str:
        """The shares that are not excluded, in words."""
        if self.finding.interval is None:
            return "no share fits"
        low, high = self.finding.interval
        return f"{percent(low)} to {percent(high)}"


@dataclass(frozen=True)
class Judged:
    """One condition, with all that takes a search worked out.

    Attributes:
        judgement: the condition, and the evidence.
        word, reason: the verdict.
        suspicions: the likeliest first.
    """

    judgement: Judgement
    word: Word
    reason: str
    suspicions: tuple[Suspicion, ...]

    kind = Kind.LAW

    @classmethod
    def of(cls, judgement: Judgement) -> "Judged":
        """What is said of a condition."""
        word, reason = judgement.verdict
        return cls(judgement, word, reason, tuple(_suspicion(judgement, finding) for finding in judgement.findings))

    @property
    def name(self) -> str:
        return self.judgement.condition.name

    @property
    def alpha(self) -> float:
        return self.judgement.condition.plan.goal.alpha

    @property
    def effect(self) -> float:
        return self.judgement.condition.plan.goal.effect

    @property
    def tokens(self) -> int:
        return self.judgement.law.tokens

    @property
    def e_value(self) -> str:
        """Against the target's law, for a reader."""
        return written_e(self.judgement.law.log_e)

    @property
    def largest(self) -> float | None:
        """The largest share of a watched suspect that is not excluded; None if none is watched, or a suspect fits at no share."""
        uppers = [one.finding.upper for one in self.suspicions if one.watched]
        fits = all(one.finding.interval for one in self.suspicions if one.watched)
        return max(uppers) if uppers and fits else None

    @property
    def watched(self) -> str:
        """How many suspects a PASS excludes, of how many."""
        plan = self.judgement.condition.plan
        return f"{len(plan.watched)} of {len(plan.outlook.names)} suspects"

    @property
    def counted(self) -> str:
        """Accepted and drafted tokens, by the engine's own account."""
        counters = self.judgement.counters
        if counters.drafted is None or counters.accepted is None:
            return "drafts not told"
        if not counters.drafted:
            return "nothing drafted"
        return f"{counters.accepted:,} of {counters.drafted:,} accepted"

    @property
    def rules(self) -> str:
        """The sampling rules that are in force, in words."""
        params = self.judgement.condition.params
        return ", ".join(f"{name} {getattr(params, name)}" for name in sorted(params.given)) or "temperature 1, no other rule"


def _suspicion(judgement: Judgement, finding: Finding) -> Suspicion:
    plan, name = judgement.condition.plan, finding.suspect.name
    low, high = finding.interval or (math.inf, math.inf)
    known = name in plan.outlook.names
    detectable = plan.outlook.detectable(name, judgement.law.tokens, plan.goal.alpha) if known else None
    if low > 0 or high < 0:
        standing = Standing.REFUTES
    elif known and judgement.law.bounds((name,), plan.goal.effect, plan.goal.alpha):
        standing = Standing.EXCLUDED
    else:
        standing = Standing.OPEN
    return Suspicion(finding, standing, name in plan.watched, detectable)


def sentences(judged: Judged) -> Iterator[str]:
    """What a verdict on the law is worth: its error rate, what is excluded, what would have been seen, what came back."""
    counters, plan = judged.judgement.counters, judged.judgement.condition.plan
    if judged.tokens:
        yield (
            f"Error rate: if the engine follows the target's law, the chance of a FAIL by the bets is at most {judged.alpha:g}, "
            "however often one looks."
        )
    if judged.word is Word.PASS:
        yield f"At confidence {1 - judged.alpha:g} a share of {percent(judged.effect)} or more is excluded for {_listed(plan.watched)}."
    if judged.word in (Word.PASS, Word.INCONCLUSIVE) and (found := would_have_seen(judged)):
        yield f"In most audits of {judged.tokens:,} tokens it would have seen {found}."
    if plan.unseen:
        yield f"Not to be seen at a share of {percent(judged.effect)}, with so many tokens: {_listed(plan.unseen)}."
    if counters.lost:
        yield f"{counters.lost:,} of {counters.answers:,} answers broke off before their end."
    if counters.contradictions:
        yield f"{len(counters.contradictions):,} answers came with counters that their own output refutes."


def would_have_seen(judged: Judged) -> str:
    """The smallest share that would have been found, for each watched suspect."""
    return ", ".join(f"{one.name} from {percent(one.detectable)}" for one in judged.suspicions if one.watched and one.detectable)


OPINIONS = {
    "uniform": "all tokens, each transformed to a number that is uniform under the target's law (Kolmogorov and Smirnov)",
    "first tokens": "the first tokens after each prompt against its law (Pearson's chi-square)",
    "independent": "neighbouring transformed tokens are uncorrelated",
}
"""What each second opinion tests."""


def opinions(judged: Judged) -> dict[str, float]:
    """The p-value of each second opinion."""
    found = judged.judgement.law.opinions
    return dict(zip(OPINIONS, (found.uniformity(), found.first_tokens(), found.independence()), strict=True))


def thinned(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """At most `MOST_POINTS` of them, evenly, with the last and without any that is not finite."""
    finite = [point for point in points if math.isfinite(point[1])]
    stride = -(-len(finite) // MOST_POINTS) or 1
    return finite[::-1][::stride][::-1]


def percent(share: float) -> str:
    """Three significant digits."""
    return f"{100 * share:.3g}%"


def written_e(log_e: float) -> str:
    """An e-value, given as its logarithm; a long one as a power of ten."""
    tens = log_e / math.log(10)
    if math.isnan(tens):
        return "unknown"
    if abs(tens) == math.inf:
        return "infinite" if tens > 0 else "0"
    if not -LONGEST_E < tens < LONGEST_E:
        return f"10^{tens:.1f}"
    return f"{math.exp(log_e):,.0f}" if tens >= 3 else f"{math.exp(log_e):.3g}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
