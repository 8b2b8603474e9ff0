"""State as evidence: small experiments on an engine, judged by a target that reads every text anew.

A cache that holds a refused token, lacks a kept one or mixes two requests changes the text that follows. So do random numbers that requests
share, and no law of single tokens shows it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Audited
from draftproof.audit.law.rows import Reference, Text
from draftproof.audit.state.circumstances import CIRCUMSTANCES, Asking, Circumstance, Tokens, greedy_check
from draftproof.audit.state.greedy_text import greedy, judge_greedy
from draftproof.audit.state.sampled_answers import equal_check, log_probs_check, neighbours_check, seeds_check
from draftproof.errors import BadRequest, EmptyLaw, Unavailable
from draftproof.proof.campaign import Word
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Sampling

FEW = 3
"""Prompts of an experiment."""

MANY = 40
"""Answers without a seed to one prompt."""

TOLERANCE = 1e-2
"""Of a log-probability, nats: what rounding explains in float32. In bfloat16 it is some tenths."""


def as_asked(params: SamplingParams) -> Sampling:
    """The rules that an engine follows which adds none of its own."""
    return params


@dataclass(frozen=True)
class StateSettings:
    """How the experiments are made.

    Attributes:
        params: the sampling rules of requests that are not greedy, in the engine's dialect.
        follows: from the rules that are asked for to those whose law holds, where an engine adds bans of its own.
        length: tokens of an ordinary answer.
        long: tokens of a long one; eight times the ordinary unless it is given.
        tolerance: the largest gap that counts as a near tie, and the largest error of a log-probability, nats.
        promises_seeds: whether a seed is said to fix the text, in whatever company.
        alpha: the error rate of each statistical check.
        band: up to which a probability of the reference is known.
        many: answers without a seed to one prompt.
        seed: that is used alone and in company; those next to it are given to others.

    Raises:
        BadRequest: a number out of its range, or rules under which nothing is drawn.
    """

    params: SamplingParams = field(default_factory=SamplingParams)
    follows: Callable[[SamplingParams], Sampling] = as_asked
    length: int = 32
    long: int | None = None
    tolerance: float = TOLERANCE
    promises_seeds: bool = False
    alpha: float = 1e-3
    band: float = 0.0
    many: int = MANY
    seed: int = 1000

    def __post_init__(self) -> None:
        for name, value, least in (
            ("length", self.length, 1),
            ("many", self.many, 2),
            ("long", self.long or 1, 1),
            ("seed", self.seed, FEW),
        ):
            if value < least:
                raise BadRequest(f"{name} is {value}; it must be at least {least}")
        if not self.tolerance >= 0:
            raise BadRequest(f"the tolerance is {self.tolerance}; give a number of nats of at least 0")
        if not 0 < self.alpha < 1:
            raise BadRequest(f"alpha is {self.alpha}; it must lie between 0 and 1")
        if self.params.temperature == 0:
            raise BadRequest("at temperature 0 nothing is drawn, so no randomness can be tested; give rules that sample")


def state_checks(engine: Audited, reference: Reference, prompts: Sequence[Sequence[int]], settings: StateSettings) -> Iterator[Check]:
    """Every experiment, as it ends. When the engine cannot be reached any more, that is an ERROR and the rest is SKIPPED.

    Args:
        engine: entered.
        reference: of which the target is used, with the rules of `settings`.
        prompts: token ids; the first few are used.

    Raises:
        BadRequest: no prompts, or one that is empty.
    """
    few = [tuple(prompt) for prompt in prompts[:FEW]]
    if not few or not all(few):
        raise BadRequest("the experiments need prompts of at least one token; give some")
    scored = replace(reference, params=settings.follows(settings.params), altered=())
    gone = ""
    for name, experiment in _experiments(engine, scored, few, settings):
        if gone:
            yield Check(Kind.STATE, name, Word.SKIPPED, "the engine could not be reached any more")
            continue
        try:
            yield from experiment()
        except Unavailable as error:
            gone = str(error)
            yield Check(Kind.STATE, name, Word.ERROR, gone)
        except EmptyLaw as error:
            yield Check(Kind.STATE, name, Word.INCONCLUSIVE, f"an emitted text has no law under the reference: {error}")


def _experiments(
    engine: Audited, reference: Reference, prompts: Sequence[Tokens], settings: StateSettings
) -> Iterator[tuple[str, Callable[[], Iterator[Check]]]]:
    for circumstance in CIRCUMSTANCES:
        yield circumstance.name, partial(_in, circumstance, engine, reference, prompts, settings)
    yield "seeds", partial(_seeds, _asking(engine, settings), prompts, settings)
    yield "requests without a seed", partial(_unseeded, _asking(engine, settings), reference, prompts[0], settings)


def _asking(engine: Audited, settings: StateSettings) -> Asking:
    return Asking(engine, settings.params, settings.length, settings.long or 8 * settings.length)


def _in(
    circumstance: Circumstance, engine: Audited, reference: Reference, prompts: Sequence[Tokens], settings: StateSettings
) -> Iterator[Check]:
    asking = _asking(engine, settings)
    circumstance.run(asking, prompts)
    rules = settings.follows(replace(greedy(settings.params), temperature=1.0))
    found = judge_greedy(reference.target, rules, asking.judged, tolerance=settings.tolerance)
    yield greedy_check(circumstance, found, asking.answers, drafts=bool(engine.facts.drafts))


def _seeds(asking: Asking, prompts: Sequence[Tokens], settings: StateSettings) -> Iterator[Check]:
    """The same request and seed alone, alone again, and in company."""
    request, seed = (prompts[0], settings.length), settings.seed
    company = [(prompt * 2, settings.length) for prompt in prompts]
    alone, again = (asking.sampled(request, seeds=[seed])[0] for _ in range(2))
    together = asking.sampled(*company, request, *company, seeds=range(seed - len(company), seed + len(company) + 1))[len(company)]
    yield seeds_check(alone, {"alone again": again, "in a batch": together}, promised=settings.promises_seeds)


def _unseeded(asking: Asking, reference: Reference, prompt: Tokens, settings: StateSettings) -> Iterator[Check]:
    found = asking.sampled(*[(prompt, settings.length)] * settings.many, laws=True)
    answers = [answer for answer in found if answer.tokens and not answer.lost]
    rows = reference.rows([Text(prompt, answer.tokens) for answer in answers])
    yield equal_check(answers, rows, alpha=settings.alpha)
    yield neighbours_check(answers, rows, alpha=settings.alpha, band=settings.band)
    yield log_probs_check(answers, rows, tolerance=settings.tolerance)
