"""Audits as assertions: a few lines in the test suite of an engine."""

from collections.abc import Iterable, Sequence

from draftproof.audit.engines.protocol import Audited
from draftproof.audit.judgement import Condition, judge
from draftproof.audit.law.comparison import Comparison
from draftproof.audit.logs.on_policy import ALPHA, TOLERANCE, gate
from draftproof.audit.logs.record import Record
from draftproof.audit.logs.rollouts import Rollouts
from draftproof.errors import NotExact, Unavailable
from draftproof.proof.campaign import Word


def assert_follows(engine: Audited, conditions: Sequence[Condition]) -> None:
    """Return if every condition passes. `plan.outlook` of a condition says what that takes: `needed` tokens, and what is `detectable`.

    Args:
        engine: entered.
        conditions: as `conditions.conditions` makes them.

    Raises:
        NotExact: a condition that does not pass, be it refuted or not settled; the message gives the verdict and the reason.
        Unavailable: the engine cannot be reached.
    """
    for condition in conditions:
        found = judge(engine, condition)
        if found.word is Word.ERROR:
            raise Unavailable(found.reason)
        if found.word is not Word.PASS:
            raise NotExact(f"{found.word} after {found.law.tokens:,} tokens of {condition.name}: {found.reason}")


def assert_same_text(found: Comparison, *, alpha: float = 1e-3, effect: float = 0.5) -> None:
    """Return if two sets of answers are alike, and a share `effect` of scrambled answers would have been seen.

    Raises:
        NotExact: they differ, or too few answers came to say.
    """
    check = found.check(alpha, effect)
    if check.word is not Word.PASS:
        raise NotExact(f"{check.word}: {check.sentence}")


def assert_on_policy(records: Iterable[Record], *, tolerance: float = TOLERANCE, alpha: float = ALPHA) -> None:
    """Return if the log-probabilities of records are those of the reference; `on_policy.needed` says how many tokens that takes.

    Raises:
        NotExact: they are not, or too few came to say.
    """
    found = gate(Rollouts.of(records), tolerance=tolerance, alpha=alpha)
    if found.on_policy is not True:
        raise NotExact(f"{Word.FAIL if found.on_policy is False else Word.INCONCLUSIVE}: {found.reason}")
