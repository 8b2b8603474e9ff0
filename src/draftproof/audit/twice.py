"""The same questions to an engine with its drafts and to the same engine without them, where text is all there is."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from draftproof.audit.check import Check
from draftproof.audit.engines.protocol import Ask, Audited
from draftproof.audit.judgement import answered
from draftproof.audit.law.comparison import Units, compare
from draftproof.audit.law.plan import Goal
from draftproof.audit.store import Events
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
    found: list[Mapping[object, list[Units]]] = []
    for side, engine in zip(SIDES, (drafted, plain), strict=True):
        answers: dict[object, list[Units]] = defaultdict(list)
        for start in range(0, len(asks), len(prompts)):
            batch = asks[start : start + len(prompts)]
            told(f"answers {side}", start, len(asks))
            for ask, answer in zip(batch, answered(engine, side, batch, events), strict=True):
                if not answer.lost:
                    answers[ask.text].append(answer.text)
        found.append(answers)
    return compare(found[0], found[1], length=_characters(found), alpha=goal.alpha).check(goal.alpha, goal.effect)


def _characters(found: Sequence[Mapping[object, list[Units]]]) -> int:
    """Of each answer that are compared: those of the longest."""
    return max((len(text) for answers in found for texts in answers.values() for text in texts), default=1)
