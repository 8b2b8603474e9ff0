"""From what is asked for to the conditions of an audit: prompts, temperatures and suspects, chosen by what target and draft say of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draftproof.audit.judgement import Condition
from draftproof.audit.law.plan import Goal, Plan, plan
from draftproof.audit.law.rows import Reference
from draftproof.audit.law.suspects import dropped, suspects
from draftproof.engine import readable
from draftproof.errors import BadRequest
from draftproof.models.language import LanguageModel
from draftproof.sampling.params import SamplingParams

PROMPTS = (
    "The recipe begins with two onions and",
    "Once the harbour lights came on, the captain",
    "A list of rivers: the Rhine, the",
    "To sort a list in Python, first",
    "Dear neighbour, thank you for",
    "The committee agreed that next year",
    "1, 1, 2, 3, 5, 8,",
    "On the third day of the walk they reached",
    "The three causes of the delay were",
    '{"name": "Ada", "age":',
    "My grandmother used to say that",
    "In the middle of the garden stood",
)
"""Beginnings that can go on in many ways, for models that read English; other models get other text to go on from all the same."""

TEMPERATURES = (0.6, 1.0, 1.4)
"""Of these the one at which a token says most, where none is asked for."""

SEEN = 0.3
"""A suspect that grows by this many nats a token is found in a moment; what it grows beyond that does not make a temperature better."""


NEAR_TIE = 1e-2
"""In nats, how far logits of one float model may be apart in two engines, where there is a band at all."""


Follows = Callable[[SamplingParams], SamplingParams]
"""From some sampling rules to others."""


@dataclass(frozen=True)
class Judge:
    """What an engine's tokens are judged by.

    Attributes:
        target: a trusted copy of the target.
        draft: of the draft model; None if the engine has none, or it is not known.
        follows: from the rules that are asked for to those that the engine is known to follow, such as a ban on the end of a text.
        drafts: from the rules that are asked for to those that its drafts follow.
        band: total variation a row up to which the copy is trusted.
    """

    target: LanguageModel
    draft: LanguageModel | None = None
    follows: Follows = lambda params: params
    drafts: Callable[[SamplingParams], SamplingParams | None] = lambda params: params
    band: float = 0.0

    def __post_init__(self) -> None:
        check_band(self.band)

    def reference(self, params: SamplingParams) -> Reference:
        """The laws under these sampling rules."""
        followed = self.follows(params)
        draft = self.draft.model if self.draft else None
        tolerance = NEAR_TIE if self.band else 0.0
        return Reference(self.target.model, followed, draft, self.drafts(params), dropped(followed), tolerance)

    def condition(self, name: str, params: SamplingParams, prompts: Sequence[Sequence[int]], goal: Goal, *, seed: int | None) -> Condition:
        """One condition, with its plan."""
        reference = self.reference(params)
        suspected = suspects(draft=reference.draft is not None, altered=tuple(name for name, _ in reference.altered))
        planned = plan(reference, suspected, prompts, goal, band=self.band)
        return Condition(name, params, reference, suspected, planned, self.band, seed)


def conditions(
    judge: Judge,
    asked: Mapping[str, Any],
    also: Sequence[Mapping[str, Any]],
    prompts: Sequence[str],
    goal: Goal,
    *,
    seed: int | None,
    told: Callable[[str], None] = lambda what: None,
) -> list[Condition]:
    """What is asked for, and each of the further sets of sampling rules.

    Args:
        asked: sampling parameters under any of their names. Without a temperature the most telling of `TEMPERATURES` is taken.
        also: further parameters, one condition each, on top of those.
        prompts: text to go on from.

    Raises:
        BadRequest: a prompt that is empty or too long, two equal conditions.
    """
    encoded = [_encoded(judge.target, text, goal.length) for text in prompts]
    free = not asked.keys() & {"temperature", "temp"}
    tries = [{**asked, "temperature": value} for value in TEMPERATURES] if free else [dict(asked)]
    found: list[Condition] = []
    for trial in tries:
        told(f"planning {described(trial)}")
        found.append(judge.condition(described(trial), SamplingParams.parse(trial), encoded, goal, seed=seed))
    best = max(range(len(tries)), key=lambda place: _worth(found[place].plan))
    chosen = [found[best]]
    for extra in also:
        told(f"planning {described(extra)}")
        both = {**tries[best], **extra}
        chosen.append(judge.condition(described(both), SamplingParams.parse(both), encoded, goal, seed=seed))
    names = [condition.name for condition in chosen]
    if len(set(names)) != len(names):
        raise BadRequest(f"the condition {max(names, key=names.count)} is asked for twice")
    return chosen


def described(params: Mapping[str, Any]) -> str:
    """Sampling parameters as a name."""
    return ", ".join(f"{name} {value}" for name, value in sorted(params.items()) if name != "dialect") or "the model's own law"


def _worth(planned: Plan) -> float:
    """How much a token says, summed over the suspects, each as far as it matters."""
    share = planned.goal.effect
    return sum(min(planned.outlook.of(name, share), SEEN * share) for name in planned.outlook.names)


def check_band(band: float) -> None:
    """Return if it is a total variation.

    Raises:
        BadRequest: it is not.
    """
    if not 0 <= band < 1:
        raise BadRequest(f"the band is {band}; it must be a total variation of at least 0 and below 1")


def _encoded(target: LanguageModel, text: str, length: int) -> tuple[int, ...]:
    readable(text)
    tokens = tuple(target.tokenizer.encode(text))
    if not tokens:
        raise BadRequest("a prompt is empty; give text to go on from")
    if len(tokens) + length > target.context_length:
        raise BadRequest(
            f"a prompt of {len(tokens)} tokens and an answer of {length} do not fit into the {target.context_length} "
            f"that {target.name} reads"
        )
    return tokens
