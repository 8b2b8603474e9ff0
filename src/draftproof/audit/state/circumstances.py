"""Circumstances in which an engine's memory of a text is easily wrong, each as a few greedy requests.

What is emitted is judged by a target that reads every text anew (`greedy_text`), so it does not matter how the engine came by its memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count

from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Answer, Ask, Audited
from draftproof.audit.law.rows import Text
from draftproof.audit.state.greedy_text import Difference, GreedyText, greedy
from draftproof.proof.campaign import Word
from draftproof.sampling.params import SamplingParams

Tokens = tuple[int, ...]
Request = tuple[Tokens, int]
"""A prompt, and how many tokens are to be emitted."""

ONE_BY_ONE = 8
"""Answers of one token each."""


class Needs(StrEnum):
    """What must have happened for a circumstance to have been tested."""

    REFUSAL = "a refused draft"
    NO_DRAFT = "a round without a draft"


@dataclass
class Asking:
    """Requests to one engine, one batch after the other, and all that came of them.

    Attributes:
        engine: that is asked.
        params: the sampling rules of requests that are not greedy.
        length: tokens of an ordinary answer.
        long: tokens of a long one.
        judged: greedy texts.
        answers: all of them.
    """

    engine: Audited
    params: SamplingParams
    length: int
    long: int
    judged: list[Text] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers = count()

    def greedily(self, *requests: Request) -> list[Answer]:
        """Ask these side by side, at temperature 0."""
        answers = self._ask(requests, greedy(self.params), [None] * len(requests))
        self.judged += [Text(prompt, answer.tokens) for (prompt, _), answer in zip(requests, answers, strict=True)]
        return answers

    def sampled(self, *requests: Request, seeds: Sequence[int | None] = (), laws: bool = False) -> list[Answer]:
        """Ask these side by side; without seeds unless they are given, and with the law of every token if that is wanted."""
        return self._ask(requests, self.params, seeds or [None] * len(requests), laws=laws)

    def _ask(self, requests: Sequence[Request], params: SamplingParams, seeds: Sequence[int | None], *, laws: bool = False) -> list[Answer]:
        asks = [
            Ask(next(self._numbers), prompt, params, length, seed, laws=laws)
            for (prompt, length), seed in zip(requests, seeds, strict=True)
        ]
        answers = sorted(self.engine.answers(asks), key=lambda answer: answer.number)
        self.answers += answers
        return answers


@dataclass(frozen=True)
class Circumstance:
    """One of them.

    Attributes:
        name: for reports.
        run: asks for it, given the prompts.
        needs: what it has to bring about.
    """

    name: str
    run: Callable[[Asking, Sequence[Tokens]], None]
    needs: Needs = Needs.REFUSAL


def alone(asking: Asking, prompts: Sequence[Tokens]) -> None:
    for prompt in prompts:
        asking.greedily((prompt, asking.length))


def twice(asking: Asking, prompts: Sequence[Tokens]) -> None:
    """The second time the whole prompt may be found in a cache."""
    for prompt in prompts:
        asking.greedily((prompt, asking.length))
        asking.greedily((prompt, asking.length))


def after_refusals(asking: Asking, prompts: Sequence[Tokens]) -> None:
    """A sampled answer leaves refused tokens behind; then come prompts that go on from all of it, from half of it and from none."""
    for prompt in prompts:
        [before] = asking.sampled((prompt, asking.length))
        for kept in (len(before.tokens), len(before.tokens) // 2, 0):
            asking.greedily(((*prompt, *before.tokens[:kept]), asking.length))


def ragged(asking: Asking, prompts: Sequence[Tokens]) -> None:
    """Prompts and answers of different lengths side by side: some end while others go on."""
    shapes = [(prompt, prompt[: -(-len(prompt) // 2)], prompt * 2) for prompt in prompts]
    lengths = (asking.length, max(1, asking.length // 4), max(1, asking.length // 2))
    asking.greedily(*((prompt, length) for shape in shapes for prompt, length in zip(shape, lengths, strict=True)))


def undrafted(asking: Asking, prompts: Sequence[Tokens]) -> None:
    """Answers of one token leave no room for a draft; a prompt in which no token recurs gives nothing to a drafter that looks texts up."""
    text = prompts[0]
    for _ in range(ONE_BY_ONE):
        [answer] = asking.greedily((text, 1))
        text = (*text, *answer.tokens)
    asking.greedily((text, asking.length))
    asking.greedily((tuple(dict.fromkeys(token for prompt in prompts for token in prompt)), asking.length))


def long_answers(asking: Asking, prompts: Sequence[Tokens]) -> None:
    asking.greedily((prompts[0], asking.long))


CIRCUMSTANCES = (
    Circumstance("greedy text", alone),
    Circumstance("the same prompt twice", twice),
    Circumstance("a shared prefix after refusals", after_refusals),
    Circumstance("a ragged batch", ragged),
    Circumstance("rounds without a draft", undrafted, Needs.NO_DRAFT),
    Circumstance("a long answer", long_answers),
)


def greedy_check(circumstance: Circumstance, found: GreedyText, answers: Sequence[Answer], *, drafts: bool) -> Check:
    """What greedy texts say of the engine's memory in one circumstance.

    Args:
        answers: all that belong to it, for what they count.
        drafts: whether the engine is said to draft.
    """
    name = circumstance.name
    values = {
        "places": found.places,
        "near_ties": len(found.near_ties),
        "wrong": len(found.wrong),
        "largest_gap": max((one.gap for one in found.differences), default=0.0),
        "tolerance": found.tolerance,
    }
    lost = sum(bool(answer.lost) for answer in answers)
    shown = dict.fromkeys([*found.wrong[:1], *found.differences[:1]])
    details = (*map(_difference, shown), *([f"{lost} answers came in part"] if lost else []))
    if found.wrong:
        first = found.wrong[0]
        sentence = (
            f"{len(found.wrong):,} of {found.places:,} greedy tokens are not the target's likeliest, the first at place {first.place} "
            f"of text {first.text} by {first.gap:.3g} nats"
        )
        return Check(Kind.STATE, name, Word.FAIL, sentence, details, values)
    if not found.places:
        return Check(Kind.STATE, name, Word.SKIPPED, "no token came back", details, values)
    sentence = f"all {found.places:,} greedy tokens are the target's likeliest{_but_for_ties(found)}"
    if drafts and (missing := _missing(circumstance.needs, answers)):
        return Check(Kind.STATE, name, missing[0], f"{sentence}; but {missing[1]}", details, values)
    return Check(Kind.STATE, name, Word.PASS, sentence, details, values)


def _but_for_ties(found: GreedyText) -> str:
    ties = len(found.near_ties)
    but = f" but for {ties} near {'tie' if ties == 1 else 'ties'}" if ties else ""
    return f"{but} (near is within {found.tolerance:g} nats, as it is at {found.close} places)"


def _difference(one: Difference) -> str:
    return f"text {one.text}, place {one.place}: token {one.emitted} where {one.likeliest} is likelier by {one.gap:.3g} nats"


def _missing(needs: Needs, answers: Sequence[Answer]) -> tuple[Word, str] | None:
    """Why the circumstance did not come about; None if it did, or if the engine does not say."""
    if any(answer.drafted is None or answer.accepted is None for answer in answers):
        return None
    drafted, accepted = (sum(counts) for counts in zip(*((answer.drafted or 0, answer.accepted or 0) for answer in answers), strict=True))
    if needs is Needs.REFUSAL and drafted == accepted:
        return Word.INCONCLUSIVE, "no draft was refused, so nothing had to be taken back" if drafted else "the engine drafted nothing"
    if needs is Needs.NO_DRAFT and all(answer.drafted and all(proposed for proposed, _ in answer.rounds or ()) for answer in answers):
        return Word.SKIPPED, "the engine tells of no round without a draft"
    return None
