"""All that is asked of one engine, in order: its law condition by condition, then its acceptance, then its state."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from draftproof.audit.acceptance.checks import acceptance_checks
from draftproof.audit.acceptance.drafting import Drafting
from draftproof.audit.check import Check
from draftproof.audit.conditions import Judge
from draftproof.audit.engines.protocol import Audited
from draftproof.audit.judgement import Condition, Judgement, judge
from draftproof.audit.state.checks import StateSettings, state_checks
from draftproof.audit.store import Events

MOST_ANSWERS = 512
"""Of a condition whose counters are looked at: they are scored once more for it."""


def run(
    engine: Audited,
    judged_by: Judge,
    conditions: Sequence[Condition],
    *,
    drafting: Drafting | None = None,
    state: bool = True,
    promises_seeds: bool = False,
    events: Events | None = None,
    told: Callable[[Judgement], None] = lambda judgement: None,
) -> Iterator[Judgement | Check]:
    """Every judgement and check, as it ends. After an engine that could not be reached nothing more is asked.

    Args:
        engine: entered.
        drafting: how it drafts, as far as it is known.
        state: whether caches, seeds and independence are tested.
        promises_seeds: whether a seed is said to fix the text.
        events: where answers are kept, those of the law alone.
        told: after each batch of answers.
    """
    for condition in conditions:
        judgement = judge(engine, condition, events=events, told=told)
        yield judgement
        if judgement.error:
            return
        goal = condition.plan.goal
        asked = judgement.asked[:MOST_ANSWERS]
        for check in acceptance_checks(asked, condition.reference, drafting, alpha=goal.alpha, band=2 * condition.band):
            yield check if len(conditions) == 1 else replace(check, name=f"{check.name}, {condition.name}")
    first = next((condition for condition in conditions if condition.params.temperature > 0), conditions[0])
    if state and first.reference is not None:
        settings = StateSettings(
            params=first.params if first.params.temperature else replace(first.params, temperature=1.0),
            follows=judged_by.follows,
            length=first.plan.goal.length,
            promises_seeds=promises_seeds,
            alpha=first.plan.goal.alpha,
            band=first.band,
        )
        yield from state_checks(engine, first.reference, first.plan.prompts, settings)
