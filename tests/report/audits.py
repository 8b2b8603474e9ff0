"""Audits of engines that are made in a moment: their tokens come straight from tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.audit.judgement import Audit, Condition, Judgement, judge
from draftproof.audit.law.plan import Goal, plan
from draftproof.audit.law.rows import Reference
from draftproof.audit.law.suspects import suspects
from draftproof.errors import Unavailable
from draftproof.models.table import TableModel
from draftproof.proof.campaign import Word
from draftproof.report.audit import AuditReport, Environment
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim

VOCAB = 6
LENGTH = 16

HOSTILE = (
    "<script>alert(1)</script></style></title>]]>&amp;\"'`|*_[x](http://evil.example)@all $x$\x00\x1b[31m\u202e\ud800\n# end" + "y" * 200
)
"""What a model, a prompt or an engine may say to break a report."""


@dataclass
class Mixture:
    """An engine that emits the target's law, or now and then the draft's.

    Attributes:
        leak: how often the draft's.
        dies: the number of the answer at which it can no longer be reached.
        counts: drafted and accepted tokens that it claims of each answer.
    """

    leak: float = 0.0
    dies: int | None = None
    counts: tuple[int, int] | None = (20, 10)
    facts: Facts = field(default_factory=lambda: Facts("an engine 1.0", Tier.TOKENS, drafts="a model, 3 tokens"))

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        target, draft = tables()
        drafted, accepted = self.counts or (None, None)
        for ask in asks:
            if ask.number == self.dies:
                raise Unavailable("the engine at 127.0.0.1:8000 closed the connection; start it again and resume")
            random, text = np.random.default_rng(ask.number), [0, 0, *ask.prompt]
            for leaks, level in zip(random.random(ask.length) < self.leak, random.random(ask.length), strict=True):
                law = (draft if leaks else target).table[text[-2], text[-1]]
                text.append(int(np.searchsorted(law.cumsum(), level * law.sum(), side="right")))
            yield Answer(ask.number, tuple(text[2 + len(ask.prompt) :]), drafted=drafted, accepted=accepted)

    def __enter__(self) -> "Mixture":
        return self

    def __exit__(self, *error: object) -> None:
        pass


@cache
def tables() -> tuple[TableModel, TableModel]:
    random = np.random.default_rng(0)
    return TableModel(random.dirichlet(np.ones(VOCAB), size=(VOCAB, VOCAB))), TableModel(
        random.dirichlet(np.ones(VOCAB), size=(VOCAB, VOCAB))
    )


@cache
def condition(name: str = "temperature 1", effect: float = 0.3, tokens: int | None = None, says: str = "") -> Condition:
    """The suspects are those we know; with `says`, each is said to do that, and the first is named so."""
    target, draft = tables()
    reference, all_suspects = Reference(target, Verbatim(), draft), suspects(draft=True)
    if says:
        all_suspects = tuple(replace(one, says=says, name=one.name if place else says) for place, one in enumerate(all_suspects))
    prompts = [(first, second) for first in range(2) for second in range(2)]
    planned = plan(reference, all_suspects, prompts, Goal(1e-3, effect, LENGTH, tokens))
    return Condition(name, SamplingParams(), reference, all_suspects, planned, seed=0)


def judged_pass() -> Judgement:
    return _judged(Mixture(), "temperature 1", 0.5, 60_000)


def judged_fail() -> Judgement:
    return _judged(Mixture(leak=0.6), "top-p 0.9")


def judged_open() -> Judgement:
    """It ends before anything is settled."""
    return _judged(Mixture(), "temperature 0.6", 0.05, 640)


def judged_error() -> Judgement:
    return _judged(Mixture(dies=70), "seeded", 0.1, 3200)


def judged_skipped() -> Judgement:
    return _judged(Mixture(counts=(0, 0)), "nothing drafted", 0.3, 320)


_known: dict[str, Judgement] = {}


def _judged(engine: Mixture, name: str, effect: float = 0.3, tokens: int | None = None) -> Judgement:
    """Each is judged once."""
    if name not in _known:
        _known[name] = judge(engine, condition(name, effect, tokens))
    return _known[name]


STATE = Check(Kind.STATE, "emitted tokens scored again", Word.PASS, "800 tokens agree within 1e-6 nats")
ACCEPTANCE = Check(
    Kind.ACCEPTANCE,
    "accepted tokens against prediction",
    Word.FAIL,
    "position 1 accepts 78.2% of its drafts where at most 72.8% can be",
    ("the excess is 9 standard errors",),
    {
        "position": [1, 2, 3],
        "observed": [0.782, 0.691, 0.668],
        "predicted": [0.728, 0.702, 0.675],
        "ceiling": [0.728, 0.715, 0.69],
        "drafts": [1000, 782, 540],
        "histogram": [218, 242, 179, 361],
    },
)

HERE = Environment({"draftproof": "0.1.0", "Python": "3.11.7"}, "Linux, x86_64, 2 processors", "2026-01-02T03:04:05+00:00")


def report(*judgements: Judgement, checks: Sequence[Check] = (), facts: Facts | None = None, last: str = "0.1") -> AuditReport:
    """A report on these; `last` ends its command line."""
    facts = facts or Facts("an engine 1.0", Tier.TOKENS, drafts="a model, 3 tokens", settings={"slots": "4"})
    audit = Audit(facts, list(judgements), list(checks), seconds=2.0)
    return AuditReport(audit, ["draftproof", "audit", "openai+http://127.0.0.1:8000", "--effect", last], HERE, raw="ab" * 32)


@cache
def saying(text: str) -> AuditReport:
    """A report in which all that an engine, a model or a user can say is this text: a refuted condition, one that died, two checks."""
    facts = Facts(text, Tier.TOKENS, drafts=text, settings={text: text})
    refuted = judge(Mixture(leak=0.6), condition(f"refuted {text}", says=text))
    died = judge(Mixture(dies=0), condition(f"died {text}"))
    died.error = text
    checks = [
        Check(Kind.STATE, text, Word.PASS, text, (text, text), {text: text}),
        Check(Kind.ACCEPTANCE, text, Word.FAIL, text, (text,), ACCEPTANCE.values),
    ]
    return report(refuted, died, checks=checks, facts=facts, last=text)
