"""The same questions to an engine with its drafts and to the same engine without them, where text is all there is."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Ask, Audited
from draftproof.audit.judgement import answered
from draftproof.audit.law.comparison import NAME, Units, compare
from draftproof.audit.law.plan import Goal
from draftproof.audit.store import Events
from draftproof.errors import Unavailable
from draftproof.proof.campaign import Word
from draftproof.sampling.params import SamplingParams

ANSWERS = 40
"""To each prompt, on either side, unless a number of tokens is given."""

SIDES = ("with drafts", "without drafts")


def text_check(
    drafted: Audited,
    plain: Audited,
    params: SamplingParams,
    prompts: Sequence[str],
    goal: Goal,
    *,
    events: Events | None = None,
    told: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Check:
    """The verdict on two sets of answers, as many as were fixed beforehand.

    Args:
        drafted, plain: entered. Their requests carry no seed, so that all answers are independent.
        told: what is asked, answers so far and in all.
    """
    repeats = max(2, -(-goal.tokens // (goal.length * len(prompts)))) if goal.tokens else ANSWERS
    asks = [Ask(number, (), params, goal.length, text=prompts[number % len(prompts)]) for number in range(repeats * len(prompts))]
    try:
        found = _answers(drafted, plain, asks, len(prompts), events, told)
    except Unavailable as error:
        return Check(Kind.LAW, NAME, Word.ERROR, str(error))
    if not any(text for answers in found for texts in answers.values() for text in texts):
        return Check(Kind.LAW, NAME, Word.SKIPPED, "no text came back, so nothing was tested")
    return compare(found[0], found[1], length=_characters(found), alpha=goal.alpha).check(goal.alpha, goal.effect)


def _answers(
    drafted: Audited, plain: Audited, asks: Sequence[Ask], at_once: int, events: Events | None, told: Callable[[str, int, int], None]
) -> list[Mapping[object, list[Units]]]:
    """The texts of both sides, by prompt."""
    found: list[Mapping[object, list[Units]]] = []
    for side, engine in zip(SIDES, (drafted, plain), strict=True):
        answers: dict[object, list[Units]] = defaultdict(list)
        for start in range(0, len(asks), at_once):
            batch = asks[start : start + at_once]
            told(f"answers {side}", start, len(asks))
            for ask, answer in zip(batch, answered(engine, side, batch, events), strict=True):
                if not answer.lost:
                    answers[ask.text].append(answer.text)
        found.append(answers)
    return found


def _characters(found: Sequence[Mapping[object, list[Units]]]) -> int:
    """Of each answer that are compared: those of the longest."""
    return max((len(text) for answers in found for texts in answers.values() for text in texts), default=0) or 1
