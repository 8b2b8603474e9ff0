"""What an audit could not see: of its plan, of its tier, and of every audit."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from draftproof.audit.engines.protocol import Tier
from draftproof.proof.campaign import Word
from draftproof.report.judged import Judged, percent

OF_TIER = {
    Tier.ROWS: "Tier A: rows and decisions are those of this run; a row that is wrong only in other states or batches is not seen.",
    Tier.LAWS: "Tier B: where no trusted copy scores the tokens, the laws are the engine's own account. A wrong row that is also sampled "
    "from looks right.",
    Tier.TOKENS: "Tier C: decisions within a round are not shown, so a fault that leaves the law of the tokens as it is, is not seen; nor "
    "is one that is smaller than the band within which the engine and the trusted copy may round differently.",
    Tier.TEXT: "Tier D: only text is shown, and compared with the engine's own text without drafts. A fault that both have is not seen.",
}
"""For each tier, what an engine that shows no more can hide."""

OF_EVERY_AUDIT = (
    "Rare events: what comes less than once in the tokens judged, such as a random number of 0, once in 2^24. Only a proof meets it.",
    "Other requests: other prompts, sampling parameters, lengths, batches and loads, another version, another machine.",
    "Speed: an exact engine may be a slow one.",
)
"""What no audit sees, whatever its tier."""


def blind_spots(tier: Tier, judged: Sequence[Judged], *, checked: bool) -> Iterator[str]:
    """What could not be seen, a sentence each; what is particular to this audit comes first.

    Args:
        checked: whether anything besides the law was looked at.
    """
    unseen = defaultdict[tuple[float, tuple[str, ...]], list[str]](list)
    for one in judged:
        unseen[one.effect, one.judgement.condition.plan.unseen].append(one.name)
    for (effect, names), conditions in unseen.items():
        if names:
            yield f"{', '.join(conditions)}: a share of {percent(effect)} of these could not be told from nothing: {', '.join(names)}."
    for one in judged:
        if one.word is Word.SKIPPED:
            yield f"{one.name}: anything at all, since {one.reason}."
        elif not one.judgement.condition.reference and one.tokens:
            yield f"{one.name}: whether the laws are the target's. The engine told them of itself."
        if one.judgement.condition.band:
            yield f"{one.name}: differences within the band of {one.judgement.condition.band:g} a row, which rounding may explain."
    if not checked:
        yield "State and acceptance: no check of the cache, of seeds or of the counters was made."
    yield OF_TIER[tier]
    yield from OF_EVERY_AUDIT
