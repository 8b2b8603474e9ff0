"""Acceptance as evidence: what an engine counted, against its output, against what any exact rule can keep, and against its own rule."""

from collections.abc import Iterator, Sequence

import numpy as np

from draftproof.audit.acceptance.ceiling import NAME, ceiling_check
from draftproof.audit.acceptance.contradictions import contradictions, counters_check
from draftproof.audit.acceptance.drafting import Drafting
from draftproof.audit.acceptance.slots import Slots, slots
from draftproof.audit.acceptance.tally import log_e_apart, log_e_together, p_value
from draftproof.audit.acceptance.totals import totals_checks
from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Answer, Ask
from draftproof.audit.law.rows import Reference, Text
from draftproof.errors import EmptyLaw
from draftproof.proof.campaign import Word

Asked = Sequence[tuple[Ask, Answer]]


def acceptance_checks(
    asked: Asked, reference: Reference | None, drafting: Drafting | None, *, alpha: float = 1e-3, band: float = 0.0, seed: int = 0
) -> Iterator[Check]:
    """What the counters of an engine say, as far as it has any. Nothing is asked of it.

    Args:
        asked: requests with their answers; how many there are may depend on the answers.
        reference: with the draft model and its sampling rules; None if there is no trusted copy.
        drafting: how the engine drafts; None if that is not known.
        alpha: the error rate of each check.
        band: how far a ceiling or a chance may be off: the total variations of target and draft together, a row.
        seed: of rounds that are simulated.
    """
    asked = [(ask, answer) for ask, answer in asked if answer.tokens]
    yield counters_check([answer for _, answer in asked])
    asked = [(ask, answer) for ask, answer in asked if not answer.lost and not contradictions(answer)]
    if reason := _unknown([answer for _, answer in asked], reference, drafting):
        yield Check(Kind.ACCEPTANCE, NAME, Word.SKIPPED, reason)
        return
    assert reference is not None, "its lack is a reason"
    assert drafting is not None, "its lack is a reason"
    answers = [answer for _, answer in asked]
    try:
        rows = reference.rows([Text(ask.prompt, answer.tokens) for ask, answer in asked])
    except EmptyLaw as error:
        yield Check(Kind.ACCEPTANCE, NAME, Word.INCONCLUSIVE, f"an emitted text has no law under the reference: {error}")
        return
    if any(answer.rounds is None for answer in answers):
        yield from totals_checks(answers, rows, drafting, alpha=alpha, band=band, seed=seed)
        return
    found = slots(answers, rows, drafting)
    yield ceiling_check(found, alpha=alpha, band=band)
    if drafting.rule and len(found.kept):
        yield prediction_check(found, drafting.rule, alpha=alpha, band=band)


def _unknown(answers: Sequence[Answer], reference: Reference | None, drafting: Drafting | None) -> str:
    """Why it is not known what may be kept, or what was; empty if it is."""
    if not answers:
        return "no whole answer came whose counters agree with it"
    if any(answer.accepted is None and answer.rounds is None for answer in answers):
        return "the engine does not tell what it accepted"
    if reference is None or reference.draft is None:
        return "no trusted copy of the draft was given, so it is not known how much may be kept"
    return "" if drafting else "it is not known how the engine drafts"


def prediction_check(found: Slots, rule: str, *, alpha: float, band: float = 0.0) -> Check:
    """Whether as many drafted tokens were kept as the rule keeps, at each position of a draft and in all. Fewer is no fault of the law."""
    name, kept, predicted = f"acceptance of {rule}", int(found.kept.sum()), float(found.predicted.sum())
    parts = [found.at(position) for position in found.positions]
    each = [log_e_apart(int(found.kept[part].sum()), found.predicted[part], band) for part in parts]
    log_e = log_e_together([log_e_apart(kept, found.predicted, band), log_e_together(each)])
    values = {**found.values, "log_e": log_e, "p_value": p_value(log_e), "log_e_by_position": each}
    numbers = f"{kept:,} of {len(found.kept):,} drafted tokens that were reached were kept, {predicted:,.1f} predicted"
    if log_e < np.log(1 / alpha):
        return Check(Kind.ACCEPTANCE, name, Word.PASS, f"{numbers}; they agree, at the error rate {alpha:g}", values=values)
    side = "more" if kept > predicted else "fewer"
    word = Word.FAIL if kept > predicted else Word.INCONCLUSIVE
    sentence = f"{side} drafted tokens are kept than {rule} keeps of this draft: {numbers} (p at most {p_value(log_e):.1g})"
    details: tuple[str, ...] = (
        "the rule is another, or drafts come from another law than the one given: other sampling rules, or a stale cache of the draft",
        f"it is seen best at position {1 + int(np.argmax(each))} of a draft",
    )
    if word is Word.INCONCLUSIVE:
        details = (*details, "to keep fewer costs time, and says nothing against the law of the text")
    return Check(Kind.ACCEPTANCE, name, word, sentence, details, values)
