"""Sampled answers as evidence of state: one text for a seed, texts without seeds that owe each other nothing, and log-probabilities
that are those of the law that was sampled."""

from collections.abc import Sequence
from math import exp, log

import numpy as np

from draftproof.audit.acceptance.tally import p_value
from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Answer
from draftproof.audit.law.rows import Rows
from draftproof.audit.state.independence import equal_texts, log_chance, neighbours
from draftproof.proof.campaign import Word


def seeds_check(first: Answer, others: dict[str, Answer], *, promised: bool) -> Check:
    """Whether one seed gave one text."""
    name = "seeds"
    places = {where: _parting(first.tokens, other.tokens) for where, other in others.items()}
    same = all(place is None for place in places.values())
    found = [f"{where} {'the same text' if place is None else f'another text from place {place} on'}" for where, place in places.items()]
    values = {"same": same, "promised": promised}
    seen = f"asked with one seed alone, the engine gave {' and '.join(found)}"
    if first.lost or any(other.lost for other in others.values()):
        return Check(Kind.STATE, name, Word.INCONCLUSIVE, f"an answer came in part; {seen}", values=values)
    if not promised:
        return Check(Kind.STATE, name, Word.SKIPPED, f"the engine does not promise one text for a seed; {seen}", values=values)
    return Check(Kind.STATE, name, Word.PASS if same else Word.FAIL, seen, values=values)


def _parting(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first place at which two texts differ; None if they are the same."""
    if tuple(one) == tuple(other):
        return None
    shared = min(len(one), len(other))
    return next((place for place in range(shared) if one[place] != other[place]), shared)


def equal_check(answers: Sequence[Answer], rows: Sequence[Rows], *, alpha: float) -> Check:
    """Whether requests without a seed share their random numbers, by answers that are equal: see `independence.equal_texts`."""
    name = "equal answers without a seed"
    with np.errstate(divide="ignore"):
        log_probs = {answer.tokens: float(np.log(each.probabilities).sum()) for answer, each in zip(answers, rows, strict=True)}
    if len(answers) < 2:
        return Check(Kind.STATE, name, Word.SKIPPED, "fewer than two whole answers came")
    log_p, equal = equal_texts([answer.tokens for answer in answers], log_probs), len(answers) - len(log_probs)
    middle = float(np.median(list(log_probs.values())))
    one_pair = log_chance(len(answers), 2, middle)
    values = {"answers": len(answers), "equal": equal, "log_p": log_p, "p_value": exp(log_p), "log_p_of_one_pair": one_pair}
    bound = "p at most the least over m of m (m-1) C(n, m) c^(m-1), c the probability of a text that came m times among n"
    seen = f"{equal} of {len(answers)} answers to one prompt repeat another (p at most {exp(log_p):.1g})"
    if log_p <= log(alpha):
        return Check(Kind.STATE, name, Word.FAIL, f"requests share their random numbers: {seen}", (bound,), values)
    if one_pair > log(alpha):
        sentence = f"{seen}; texts so predictable may be equal by chance, take longer ones"
        return Check(Kind.STATE, name, Word.INCONCLUSIVE, sentence, (bound,), values)
    return Check(Kind.STATE, name, Word.PASS, f"{seen}; one pair of ordinary texts would have been too many", (bound,), values)


def neighbours_check(answers: Sequence[Answer], rows: Sequence[Rows], *, alpha: float, band: float = 0.0) -> Check:
    """Whether neighbouring answers begin alike more often, or less, than independent ones do: see `independence.neighbours`."""
    name = "neighbouring answers"
    if len(answers) < 2:
        return Check(Kind.STATE, name, Word.SKIPPED, "fewer than two whole answers came")
    count, expected, log_e = neighbours([answer.tokens for answer in answers], [each.probabilities for each in rows], band)
    values = {"common": count, "expected": expected, "log_e": log_e, "p_value": p_value(log_e)}
    seen = f"neighbours among {len(answers)} answers have {count} first tokens in common, {expected:.1f} expected"
    if log_e >= log(1 / alpha):
        return Check(Kind.STATE, name, Word.FAIL, f"answers depend on each other: {seen} (p at most {p_value(log_e):.1g})", values=values)
    return Check(Kind.STATE, name, Word.PASS, f"{seen}, at the error rate {alpha:g}", values=values)


def log_probs_check(answers: Sequence[Answer], rows: Sequence[Rows], *, tolerance: float) -> Check:
    """Whether the log-probabilities that the engine tells are those of the law after its sampling rules."""
    name, worst, told = "log-probabilities", (0.0, ""), 0
    for answer, each in zip(answers, rows, strict=True):
        found = _told(answer)
        if found is None:
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            true = np.log(each.probabilities)
            errors = np.where(found == true, 0.0, np.abs(found - true))
        told += len(found)
        place = int(np.argmax(np.where(np.isnan(errors), np.inf, errors)))
        error = float("inf") if np.isnan(errors[place]) else float(errors[place])
        if error > worst[0]:
            worst = error, f"answer {answer.number}, place {place}: {found[place]:.4g} told, {true[place]:.4g} under the target's law"
    values = {"tokens": told, "largest_error": worst[0], "tolerance": tolerance}
    if not told:
        return Check(Kind.STATE, name, Word.SKIPPED, "the engine does not tell the log-probabilities of its tokens")
    details = (worst[1],) if worst[1] else ()
    if worst[0] > tolerance:
        sentence = f"the log-probabilities that the engine tells are off by up to {worst[0]:.3g} nats from those of the law it samples"
        return Check(Kind.STATE, name, Word.FAIL, sentence, details, values)
    return Check(Kind.STATE, name, Word.PASS, f"those of {told:,} tokens are right within {worst[0]:.2g} nats", details, values)


def _told(answer: Answer) -> np.ndarray | None:
    if answer.log_probs is not None and len(answer.log_probs) == len(answer.tokens):
        return np.array(answer.log_probs, float)
    if answer.laws is not None and len(answer.laws) == len(answer.tokens):
        with np.errstate(divide="ignore"):
            return np.log(np.asarray(answer.laws, float)[np.arange(len(answer.tokens)), list(answer.tokens)])
    return None
