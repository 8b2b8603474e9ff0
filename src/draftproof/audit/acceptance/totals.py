"""What the numbers of drafted and accepted tokens say where no single round is told.

If one token is settled after the other, the token at any place is a kept draft with at most the overlap there, whether or not one was
drafted, and a draft stood at no more places than tokens were drafted. So the whole number is bounded by the sum of the largest overlaps
of so many places. The bound is a little above the one for rounds that are told.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from draftproof.audit.acceptance.ceiling import NAME, under
from draftproof.audit.acceptance.drafting import Drafting
from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Answer
from draftproof.audit.law.rows import Rows
from draftproof.proof.campaign import Word
from draftproof.shapes import Shaped

SIMULATIONS = 9_999
"""How often the rounds along the emitted texts are drawn anew."""

ENDS = ((True, True), (False, True), (True, False), (False, False))
"""Whether the first and the last token of an answer are ever drafted. Engines differ: many take the first from the pass over the
prompt, and draft nothing for the last, since a draft is followed by one token more."""


def totals_checks(
    answers: Sequence[Answer], rows: Sequence[Rows], drafting: Drafting, *, alpha: float, band: float = 0.0, seed: int = 0
) -> Iterator[Check]:
    """Whether more was kept than can be, and whether as much as the named rule keeps."""
    accepted = sum(answer.accepted or 0 for answer in answers)
    values = {"accepted": accepted, "drafted": sum(answer.drafted or 0 for answer in answers)}
    if not values["drafted"]:
        yield Check(Kind.ACCEPTANCE, NAME, Word.SKIPPED, "nothing was drafted, so nothing could be kept", values=values)
        return
    if not drafting.token_by_token:
        sentence = "neither the rounds nor the rule are known, and a rule for whole blocks may keep more at some places"
        yield Check(Kind.ACCEPTANCE, NAME, Word.SKIPPED, sentence, values=values)
        return
    largest = [np.sort(drafting.ceilings(each))[::-1][: answer.drafted] for answer, each in zip(answers, rows, strict=True)]
    ceilings = np.concatenate(largest)
    yield under("tokens that can have been drafted", accepted, (ceilings + band).clip(max=1), alpha=alpha, values=values)
    if drafting.rule is None:
        return
    chances = [drafting.kept_given(each) for each in rows]
    if known := [chance for chance in chances if chance is not None]:
        yield _as_simulated(accepted, known, drafting, alpha=alpha, band=band, seed=seed, values=values)


def simulated_totals(
    chances: Sequence[np.ndarray], width: int, times: int, *, ends: tuple[bool, bool], seed: int
) -> Shaped[np.ndarray, " times"]:
    """How many tokens rounds of this width keep along given texts, drawn `times` times.

    Given its text, an engine that settles one token after the other tosses independent coins: at each place, whether the emitted token was
    a kept draft. So no model runs for it, and it does not matter how the tokens of one answer depend on each other.
    """
    random, totals = np.random.default_rng(seed), np.zeros(times, int)
    for text in chances:
        drafted = np.ones(len(text), bool)
        drafted[0] &= ends[0]
        drafted[-1] &= ends[1]
        in_round = np.zeros(times, int)
        for chance in text * drafted:
            kept = (random.random(times) < chance) & (in_round < width)
            totals += kept
            in_round = np.where(kept, in_round + 1, 0)
    return totals


def _as_simulated(
    accepted: int, chances: Sequence[np.ndarray], drafting: Drafting, *, alpha: float, band: float, seed: int, values: Mapping[str, Any]
) -> Check:
    slack = band * sum(map(len, chances)) + 1e-9
    found = []
    for ends in ENDS:
        totals = simulated_totals(chances, drafting.width, SIMULATIONS, ends=ends, seed=seed)
        mean = float(totals.mean())
        found.append((float((1 + (np.abs(totals - mean) + slack >= abs(accepted - mean)).sum()) / (1 + SIMULATIONS)), mean))
    chance, mean = max(found)
    values = {**values, "predicted": mean, "p_value": chance}
    name, rounds = f"acceptance of {drafting.rule}", f"rounds of {drafting.width} along the same texts"
    sentence = f"{accepted:,} drafted tokens were kept, {mean:,.1f} predicted by {rounds} (p = {chance:.2g})"
    if chance >= alpha:
        return Check(Kind.ACCEPTANCE, name, Word.PASS, sentence, values=values)
    because = "the rule, the width of its drafts or the law that they are drawn from may be another; an exact text can come with it"
    return Check(Kind.ACCEPTANCE, name, Word.INCONCLUSIVE, sentence, (because,), values)
