"""The design of an audit, before the engine is asked anything: what can be seen, with how many tokens, on which prompts.

All of it is worked out from the target and the draft alone, so no choice depends on what the engine emits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from draftproof.audit.law.betting import LOG_STAKES, SHARES
from draftproof.audit.law.learned import LEARNERS
from draftproof.audit.law.rows import Reference, Rows, Text
from draftproof.audit.law.scoring import EFFECTS, growth
from draftproof.audit.law.suspects import Suspect
from draftproof.decode import Decoder
from draftproof.drafters.function import no_drafter
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest
from draftproof.models.protocol import Model
from draftproof.sampling.protocol import Sampling
from draftproof.session import Limits
from draftproof.verify import Coupled

PATIENCE = 1.5
"""How many times the expected number of tokens is planned for: evidence grows unevenly."""

ROOM = 2
"""How many times the tokens that most audits need are judged at most: several suspects must all be excluded."""

PILOTS = 4
"""Texts that the target writes for each prompt, to see how much each token will say."""

TOGETHER = 16
"""Texts that it writes side by side."""

PILOT_SEED = 2**48
"""Far from the seeds of an audit's requests: a prompt must not be chosen for what an engine will answer to it."""

OUT_OF_SIGHT = 20_000_000
"""Tokens that no audit waits for: a suspect that needs more is not seen."""


LEAST_EFFECT = 1e-3
"""A smaller share is out of reach of any audit."""


@dataclass(frozen=True)
class Goal:
    """What an audit is to decide.

    Attributes:
        alpha: the chance of a false alarm, and of an interval that misses the truth.
        effect: the share of a suspect that must be excluded for a PASS.
        length: tokens of each answer that count.
        tokens: the most that are judged; None for as many as the plan asks for.

    Raises:
        BadRequest: a number out of its range.
    """

    alpha: float = 1e-3
    effect: float = 0.05
    length: int = 16
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value, low in (("alpha", self.alpha, 0), ("effect", self.effect, LEAST_EFFECT)):
            if not low < value < 1:
                raise BadRequest(f"{name} is {value}; it must lie between {low} and 1")
        for name, count in (("length", self.length), ("tokens", self.tokens)):
            if count is not None and count < 1:
                raise BadRequest(f"{name} is {count}; it must be at least 1")


@dataclass(frozen=True)
class Outlook:
    """What tokens will say of each suspect, should it be real.

    Attributes:
        names: of the suspects.
        growth: (suspects, effects), nats of evidence a token, for the shares `EFFECTS`.
    """

    names: tuple[str, ...]
    growth: np.ndarray

    def of(self, name: str, share: float) -> float:
        """Nats of evidence a token for a share of a suspect, between the shares that were worked out."""
        row = np.maximum(self.growth[self.names.index(name)], 1e-300)
        return float(np.exp(np.interp(np.log(share), np.log(EFFECTS), np.log(row))))

    def needed(self, name: str, share: float, alpha: float) -> int:
        """Tokens after which a share of a suspect is found or excluded, in most audits."""
        stake = np.log(1 / alpha) - LOG_STAKES[SHARES > 0].min() + np.log(len(self.names) + len(LEARNERS))
        return int(min(np.ceil(PATIENCE * stake / self.of(name, share)), OUT_OF_SIGHT))

    def detectable(self, name: str, tokens: int, alpha: float) -> float | None:
        """The smallest share that is found or excluded with so many tokens, in most audits; None if no share is."""
        shares = np.geomspace(EFFECTS[0], EFFECTS[-1], 200)
        return next((float(share) for share in shares if self.needed(name, share, alpha) <= tokens), None)


@dataclass(frozen=True)
class Plan:
    """An audit as it will be run.

    Attributes:
        goal: what it decides.
        prompts: token ids, the most telling first.
        outlook: what it can see.
        watched: the suspects for which a PASS excludes `goal.effect`.
        tokens: the most that are judged.
    """

    goal: Goal
    prompts: tuple[tuple[int, ...], ...]
    outlook: Outlook
    watched: tuple[str, ...]
    tokens: int

    @property
    def unseen(self) -> tuple[str, ...]:
        """The suspects of which such a share could not be told from nothing."""
        return tuple(name for name in self.outlook.names if name not in self.watched)

    @property
    def needed(self) -> int:
        """Tokens after which most audits of a sound engine pass; 0 if there is nothing to exclude."""
        return max((self.outlook.needed(name, self.goal.effect, self.goal.alpha) for name in self.watched), default=0)

    @property
    def answers(self) -> int:
        """Requests that bring so many tokens."""
        return -(-self.tokens // self.goal.length)


MOST_TOKENS = 50_000
"""A suspect is watched if so many tokens decide on it, or as many as are asked for. If fewer are asked for, there is no PASS."""


def plan(
    reference: Reference, suspects: Sequence[Suspect], prompts: Sequence[Sequence[int]], goal: Goal, *, band: float = 0.0, seed: int = 0
) -> Plan:
    """Work out what an audit can see, and keep the half of the prompts on which a token says most.

    Raises:
        BadRequest: no prompts.
    """
    if not prompts:
        raise BadRequest("there are no prompts to audit with; give at least one")
    texts = written(
        reference.target, reference.params, [tuple(prompt) for prompt in prompts for _ in range(PILOTS)], goal.length, seed=seed
    )
    rows = reference.rows(texts)
    by_text = np.array([outlook_of(suspects, each, band) for each in rows])
    by_prompt = by_text.reshape(len(prompts), PILOTS, *by_text.shape[1:]).mean(1)
    telling = by_prompt[:, :, _nearest(goal.effect)].sum(-1)
    kept = np.argsort(-telling, kind="stable")[: -(-len(prompts) // 2)]
    outlook = Outlook(tuple(suspect.name for suspect in suspects), by_prompt[kept].mean(0))
    reach = max(goal.tokens or 0, MOST_TOKENS)
    needed = {name: outlook.needed(name, goal.effect, goal.alpha) for name in outlook.names}
    watched = tuple(name for name in outlook.names if needed[name] <= reach)
    tokens = goal.tokens or ROOM * max((needed[name] for name in watched), default=MOST_TOKENS // ROOM)
    return Plan(goal, tuple(tuple(prompts[place]) for place in kept), outlook, watched, tokens)


def outlook_of(suspects: Sequence[Suspect], rows: Rows, band: float) -> np.ndarray:
    """(suspects, effects), nats of evidence a token of one text."""
    return np.array([growth(suspect.law(rows), rows.target, band).mean(0) for suspect in suspects])


def _nearest(share: float) -> int:
    return int(np.argmin(np.abs(np.log(EFFECTS) - np.log(share))))


def written(model: Model, params: Sampling, prompts: Sequence[tuple[int, ...]], length: int, *, seed: int) -> list[Text]:
    """What the target itself writes after each prompt, token by token, without drafts."""
    decoder = Decoder(model, no_drafter(model.vocab), Coupled())
    texts = []
    for start in range(0, len(prompts), TOGETHER):
        sessions = [
            decoder.open(prompt, params=params, limits=Limits(length), draws=SeededDraws(PILOT_SEED + seed + number))
            for number, prompt in enumerate(prompts[start : start + TOGETHER], start=start)
        ]
        for _ in decoder.generate(sessions):
            pass
        texts += [Text(prompt, session.emitted) for prompt, session in zip(prompts[start:], sessions, strict=False)]
    return texts
