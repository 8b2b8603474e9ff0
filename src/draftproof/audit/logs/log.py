"""A log of requests audited: the law of its tokens by a trusted target, and what it says of log-probabilities.

The tokens of a log are judged as those of a running engine are, one condition for each set of sampling rules. Its log-probabilities say
something else: whether the engine *computed* the target's law, not whether it drew from it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from draftproof.audit.acceptance.contradictions import counters_check
from draftproof.audit.check import Check, Kind
from draftproof.audit.conditions import Judge, described
from draftproof.audit.engines.logged import Logged
from draftproof.audit.engines.protocol import Answer, Facts
from draftproof.audit.judgement import Condition, Judgement, judge
from draftproof.audit.law.plan import Goal
from draftproof.audit.law.rows import Text
from draftproof.audit.logs.divergences import FIGURES, figures
from draftproof.audit.logs.on_policy import gate
from draftproof.audit.logs.record import Record
from draftproof.audit.logs.records import read
from draftproof.audit.logs.rollouts import Rollouts, counts
from draftproof.errors import BadRequest, EmptyLaw
from draftproof.models.language import LanguageModel
from draftproof.proof.campaign import Word
from draftproof.sampling.params import SamplingParams

PILOT_PROMPTS = 12
"""Of the log, on which the plan is worked out."""

PILOT_LENGTH = 16

SCORED_AT_ONCE = 64


@dataclass(frozen=True)
class Log:
    """The records of a file, by their sampling rules.

    Attributes:
        name: of the file.
        groups: records that share their rules, in the order of the file.
    """

    name: str
    groups: tuple[tuple[SamplingParams, tuple[Record, ...]], ...]

    @property
    def records(self) -> list[Record]:
        return [record for _, group in self.groups for record in group]

    @property
    def facts(self) -> Facts:
        return replace(Logged(self.records, f"the log {self.name}").facts, settings={"records": str(len(self.records))})


def logged(file: Path, *, vocab: int | None = None) -> Log:
    """The log in a file, every line of it read.

    Raises:
        BadRequest: naming the line that is no record.
    """
    groups: dict[SamplingParams, list[Record]] = {}
    for record in read(file, vocab=vocab):
        groups.setdefault(record.params, []).append(record)
    return Log(file.name, tuple((params, tuple(group)) for params, group in groups.items()))


def run(
    log: Log,
    target: LanguageModel | None,
    draft: LanguageModel | None,
    goal: Goal,
    *,
    band: float = 0.0,
    told: Callable[[Judgement], None] = lambda judgement: None,
) -> Iterator[Judgement | Check]:
    """Every judgement and check.

    Args:
        target: a trusted copy; without it only the log-probabilities that stand in the log are compared.

    Raises:
        BadRequest: there is nothing to judge by.
    """
    if target is not None:
        judged_by = Judge(target, draft, band=band)
        _check_room(log, target)
        planned = [(_condition(judged_by, params, records, goal), records) for params, records in log.groups]
        for condition, records in planned:
            yield judge(Logged(records, f"the log {log.name}"), condition, told=told)
        yield _counters(log)
        if any(record.log_probs is not None for record in log.records):
            yield policy_check(_scored(judged_by, log), goal)
        return
    both = [record for record in log.records if record.log_probs is not None and record.reference_log_probs is not None]
    if not both:
        raise BadRequest(
            f"no record of {log.name} has log_probs and reference_log_probs, so there is nothing to judge by; give the target's "
            "weights with --weights"
        )
    yield _counters(log)
    yield policy_check(both, goal)


def _counters(log: Log) -> Check:
    """The counters of every record against its output."""
    return counters_check(
        [Answer(number, record.output_ids, drafted=record.drafted, accepted=record.accepted) for number, record in enumerate(log.records)]
    )


def _check_room(log: Log, target: LanguageModel) -> None:
    """Return if the target can read every record.

    Raises:
        BadRequest: naming the first that is too long.
    """
    for number, record in enumerate(log.records, start=1):
        if (length := len(record.prompt_ids) + len(record.output_ids)) > target.context_length:
            name = record.id or f"number {number} by sampling rules"
            raise BadRequest(f"the record {name} has {length} tokens, more than the {target.context_length} that {target.name} reads")


def _condition(judged_by: Judge, params: SamplingParams, records: Sequence[Record], goal: Goal) -> Condition:
    """The whole group, judged in the order of the file."""
    pilots = list(dict.fromkeys(record.prompt_ids for record in records))[:PILOT_PROMPTS]
    name = described({name: getattr(params, name) for name in params.given})
    try:
        planned = judged_by.condition(name, params, pilots, replace(goal, length=min(goal.length, PILOT_LENGTH)), seed=None)
    except EmptyLaw as error:
        raise BadRequest(f"no token can be emitted under the rules {name}, which {len(records)} records have: {error}") from error
    prompts = tuple(record.prompt_ids for record in records)
    longest = min(goal.length, max(1, *(len(record.output_ids) for record in records)))
    tokens = min(longest * len(records), goal.tokens or longest * len(records))
    return replace(planned, plan=replace(planned.plan, goal=replace(goal, length=longest), prompts=prompts, tokens=tokens))


def _scored(judged_by: Judge, log: Log) -> list[Record]:
    """The records that have the engine's log-probabilities, with the reference's worked out."""
    found = []
    for params, group in log.groups:
        reference = judged_by.reference(params)
        records = [record for record in group if record.log_probs is not None]
        for start in range(0, len(records), SCORED_AT_ONCE):
            part = records[start : start + SCORED_AT_ONCE]
            rows = reference.rows([Text(record.prompt_ids, record.output_ids) for record in part])
            with np.errstate(divide="ignore"):
                scores = [tuple(np.log(each.probabilities.clip(max=1)).tolist()) for each in rows]
            found += [replace(record, reference_log_probs=score) for record, score in zip(part, scores, strict=True)]
    return found


def policy_check(records: Sequence[Record], goal: Goal) -> Check:
    """Whether the log-probabilities of the engine are those of the reference, within the share that the goal allows."""
    rollouts = Rollouts.of(records)
    found = gate(rollouts, tolerance=goal.effect, alpha=goal.alpha)
    word = {True: Word.PASS, False: Word.FAIL, None: Word.INCONCLUSIVE}[found.on_policy]
    measured = figures(rollouts)
    lines = tuple(_line(figure.name, figure.says, measured[figure.name].value, measured[figure.name].standard_error) for figure in FIGURES)
    values = {
        "on_policy": found.on_policy,
        "distance": found.distance,
        "low": found.low,
        "high": found.high,
        **{name: each._asdict() for name, each in measured.items()},
        **counts(rollouts)._asdict(),
    }
    says_not = "It does not show that tokens were drawn from these probabilities."
    return Check(Kind.LAW, "log-probabilities", word, found.reason, (*lines, says_not), values)


def _line(name: str, says: str, value: float | None, error: float | None) -> str:
    if value is None:
        return f"{name}: nothing to measure"
    return f"{name} {value:.4g}{'' if error is None else f' +- {error:.2g}'}: {says}"
