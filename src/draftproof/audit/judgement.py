"""An audit: ask a running engine, judge its tokens in a fixed order, and stop as soon as the question is settled.

One condition is one set of sampling rules. Each is judged by bets that may be looked at at any time, so an audit ends at the first batch of
answers by which the target's law is refuted, or by which every watched suspect is bounded.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from draftproof.audit.acceptance.contradictions import contradictions
from draftproof.audit.check import Check
from draftproof.audit.engines.protocol import Answer, Ask, Audited, Facts
from draftproof.audit.law.betting import e_bh
from draftproof.audit.law.evidence import Finding, LawEvidence
from draftproof.audit.law.plan import Plan
from draftproof.audit.law.rows import Reference, Rows, Text
from draftproof.audit.law.suspects import Suspect
from draftproof.audit.store import Events
from draftproof.errors import Unavailable
from draftproof.proof.campaign import Word
from draftproof.sampling.params import SamplingParams

AT_ONCE = 64
"""Answers between two looks at the evidence."""

MOST_LOST = 0.1
"""Of the answers. If more are lost, what became of the others says little of the engine."""


@dataclass(frozen=True)
class Condition:
    """One set of sampling rules under which an engine is audited.

    Attributes:
        name: for reports.
        params: as the engine is asked.
        reference: what its tokens are judged by; None for the laws that the engine tells of itself.
        suspects: whom to bet on.
        plan: how many tokens, on which prompts.
        band: total variation up to which the reference is trusted, a row.
        seed: of the first request; each takes the next. None leaves the randomness to the engine.
    """

    name: str
    params: SamplingParams
    reference: Reference | None
    suspects: Sequence[Suspect]
    plan: Plan
    band: float = 0.0
    seed: int | None = None

    def asks(self) -> Iterator[Ask]:
        """Every request of the plan, in the order in which its answer is judged."""
        for number in range(self.plan.answers):
            prompt = self.plan.prompts[number % len(self.plan.prompts)]
            seed = None if self.seed is None else self.seed + number
            yield Ask(number, prompt, self.params, self.plan.goal.length, seed)


@dataclass
class Counters:
    """What the engine counted, and what came back.

    Attributes:
        answers: that came, whole or in part.
        lost: of those, in part.
        drafted, accepted: by the engine's own account; None where it gave none for an answer.
        contradictions: sentences, each an account that its own output refutes.
        why: why the first one was lost.
    """

    answers: int = 0
    lost: int = 0
    drafted: int | None = 0
    accepted: int | None = 0
    contradictions: list[str] = field(default_factory=list)
    why: str = ""

    def add(self, answer: Answer) -> None:
        self.answers += 1
        self.lost += bool(answer.lost)
        self.why = self.why or answer.lost
        self.contradictions += contradictions(answer)
        if answer.drafted is None or answer.accepted is None or self.drafted is None or self.accepted is None:
            self.drafted = self.accepted = None
            return
        self.drafted += answer.drafted
        self.accepted += answer.accepted

    @property
    def engaged(self) -> bool | None:
        """Whether drafts were kept and refused; None if the engine does not say."""
        if self.drafted is None or self.accepted is None:
            return None
        return 0 < self.accepted < self.drafted


@dataclass
class Judgement:
    """What became of one condition.

    Attributes:
        condition: that was judged.
        facts: of the engine.
        law: the evidence of law.
        counters: the engine's own.
        asked: every request with its answer, in order.
        refuted_at: after how many tokens the target's law was refuted; None if it was not.
        error: why it ended before its end, if the engine could not be reached; empty otherwise.
        seconds: that it took.
    """

    condition: Condition
    facts: Facts
    law: LawEvidence
    counters: Counters = field(default_factory=Counters)
    asked: list[tuple[Ask, Answer]] = field(default_factory=list)
    refuted_at: int | None = None
    error: str = ""
    seconds: float = 0.0

    @property
    def word(self) -> Word:
        return self.verdict[0]

    @property
    def reason(self) -> str:
        """Why it is this word."""
        return self.verdict[1]

    @property
    def verdict(self) -> tuple[Word, str]:
        """The word, and one sentence."""
        goal, alpha = self.condition.plan.goal, self.condition.plan.goal.alpha
        if self.refuted_at is not None:
            return Word.FAIL, f"the emitted tokens do not follow the target's law; likeliest: the engine {self.ranked[0].says}"
        if self.counters.contradictions:
            return Word.FAIL, f"the engine's counters contradict its output: {self.counters.contradictions[0]}"
        if self.error:
            return Word.ERROR, self.error
        if not self.law.tokens and self.counters.lost:
            return Word.ERROR, f"every answer was lost: {self.counters.why}"
        if not self.law.tokens:
            return Word.SKIPPED, "no token came back, so nothing was tested"
        if self.facts.drafts and self.counters.engaged is False:
            return Word.SKIPPED, _not_engaged(self.counters)
        if not self.bounded:
            return Word.INCONCLUSIVE, self._short
        if self.counters.lost > MOST_LOST * self.counters.answers:
            lost = f"{self.counters.lost:,} of {self.counters.answers:,} answers came in part"
            return Word.INCONCLUSIVE, f"what came follows the law, but {lost}: {self.counters.why}"
        if self.facts.drafts and self.counters.engaged is None:
            return Word.INCONCLUSIVE, "the law agrees, but the engine does not say whether it drafted anything"
        return Word.PASS, f"a share of {goal.effect:g} of any watched suspect is excluded at confidence {1 - alpha:g}"

    @property
    def _short(self) -> str:
        """What is missing for a PASS."""
        plan = self.condition.plan
        if not plan.watched:
            return f"not refuted, but no number of tokens within reach excludes a share of {plan.goal.effect:g} of any suspect"
        expected = f"it takes about {plan.needed:,}" if self.law.tokens < plan.needed else f"{plan.needed:,} were expected to"
        missing = f"{self.law.tokens:,} tokens do not exclude a share of {plan.goal.effect:g} of every watched suspect"
        return f"not refuted, but {missing}; {expected}"

    @property
    def settled(self) -> bool:
        """Whether more tokens would change nothing."""
        if self.refuted_at is not None:
            return self.law.named(self.refuted_at)
        tested = not self.facts.drafts or self.counters.engaged is not False
        return tested and self.bounded

    def look(self) -> None:
        """Note whether the target's law is refuted. What is refuted once stays so."""
        if self.refuted_at is None and self.law.refutes(self.condition.plan.goal.alpha):
            self.refuted_at = self.law.tokens

    @property
    def bounded(self) -> bool:
        """Whether every watched suspect is excluded at the share that was asked for."""
        plan = self.condition.plan
        return bool(plan.watched) and self.law.bounds(plan.watched, plan.goal.effect, plan.goal.alpha)

    @property
    def ranked(self) -> list[Suspect]:
        """The suspects, the likeliest first."""
        return [finding.suspect for finding in self.findings]

    @property
    def findings(self) -> list[Finding]:
        """What the tokens say of each suspect, the likeliest first."""
        return self.law.findings(self.condition.plan.goal.alpha)


def _not_engaged(counters: Counters) -> str:
    if not counters.drafted:
        return "the engine drafted nothing, so its speculative decoding was not tested; see how its drafts are switched on"
    kept = "none" if not counters.accepted else "all"
    return (
        f"{kept} of {counters.drafted:,} drafted tokens were accepted, so one side of the rule was never tested; "
        "use another draft or temperature"
    )


def judge(
    engine: Audited, condition: Condition, *, events: Events | None = None, told: Callable[[Judgement], None] = lambda judgement: None
) -> Judgement:
    """Ask, bet, and stop when the question is settled or the plan is at its end.

    Args:
        events: where answers are kept; those that it holds are not asked for again.
        told: after each batch of answers, how things stand.
    """
    began = time.perf_counter()
    judgement = Judgement(condition, engine.facts, LawEvidence(condition.suspects, condition.band))
    asks = condition.asks()
    try:
        while batch := list(islice(asks, AT_ONCE)):
            _add(judgement, batch, answered(engine, condition.name, batch, events))
            judgement.look()
            judgement.seconds = time.perf_counter() - began
            told(judgement)
            if judgement.settled:
                break
    except Unavailable as error:
        judgement.error = str(error)
    judgement.seconds = time.perf_counter() - began
    return judgement


def answered(engine: Audited, condition: str, batch: Sequence[Ask], events: Events | None) -> list[Answer]:
    """The answers to a batch, in order: from the file what it holds, the rest from the engine."""
    known = (
        {}
        if events is None
        else {ask.number: events.known[condition, ask.number] for ask in batch if (condition, ask.number) in events.known}
    )
    fresh = list(engine.answers([ask for ask in batch if ask.number not in known]))
    if events:
        events.add(condition, fresh)
    return sorted([*known.values(), *fresh], key=lambda answer: answer.number)


def _add(judgement: Judgement, batch: Sequence[Ask], answers: Sequence[Answer]) -> None:
    asked = {ask.number: ask for ask in batch}
    texts = [Text(asked[answer.number].prompt, answer.tokens[: asked[answer.number].length]) for answer in answers]
    _check_known(judgement.condition.reference, answers)
    for answer in answers:
        judgement.counters.add(answer)
        judgement.asked.append((asked[answer.number], answer))
    judgement.law.add(texts, _rows(judgement.condition.reference, texts, answers))


def _check_known(reference: Reference | None, answers: Sequence[Answer]) -> None:
    """Return if the trusted copy knows every token.

    Raises:
        Unavailable: naming one that it does not.
    """
    for answer in answers if reference else ():
        assert reference is not None
        if unknown := [token for token in answer.tokens if not 0 <= token < reference.target.vocab]:
            raise Unavailable(
                f"answer {answer.number} holds the token {unknown[0]}, and the weights that score it have those from 0 to "
                f"{reference.target.vocab - 1}; give the weights that the engine runs"
            )


def _rows(reference: Reference | None, texts: Sequence[Text], answers: Sequence[Answer]) -> list[Rows]:
    """The laws along each text: those of the trusted copy, or those that the engine tells of itself."""
    if reference is not None:
        return reference.rows(texts)
    if missing := [answer.number for answer in answers if answer.laws is None or len(answer.laws) != len(answer.tokens)]:
        raise Unavailable(f"the engine told no law for the tokens of answer {missing[0]}; give its weights to score with")
    return [Rows(np.asarray(answer.tokens), np.asarray(answer.laws)) for answer in answers]


@dataclass
class Audit:
    """All that was found about one engine.

    Attributes:
        facts: what it says of itself.
        judgements: of its law, one a condition.
        checks: of its state and its acceptance.
        seconds: that all took.
    """

    facts: Facts
    judgements: list[Judgement] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def words(self) -> list[Word]:
        return [*(judgement.word for judgement in self.judgements), *(check.word for check in self.checks)]

    @property
    def refuted(self) -> list[Judgement]:
        """The conditions to report as refuted, so that of all reported a share of alpha at most is reported wrongly on average."""
        if not self.judgements:
            return []
        alpha = self.judgements[0].condition.plan.goal.alpha
        return [self.judgements[place] for place in e_bh([judgement.law.log_e for judgement in self.judgements], alpha)]
