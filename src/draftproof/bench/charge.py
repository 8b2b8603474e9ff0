"""What replayed passes cost, text by text."""

from collections.abc import Sequence

import numpy as np

from draftproof.bench.costs import Costs
from draftproof.bench.replay import Pass, Text


def drafted_ms(passes: Sequence[Pass], costs: Costs, reading_ms: Sequence[float], *, entries: int) -> np.ndarray:
    """(texts,) what each text takes, summed over the first `entries` of a queue in which the texts take turns.

    All rows of a pass wait for it, so each takes an equal part of its time.

    Args:
        reading_ms: of each text, what its first pass takes beyond another.
    """
    total, before = np.zeros(len(reading_ms)), list[list[int]]()
    for each in passes:
        drafted = [row.round.drafted for row in each.rows]
        target = costs.target_ms([*before, drafted]) - costs.target_ms(before)
        before = [drafted]
        shared = (target + each.draft_ms) / len(each.rows)
        for row in each.rows:
            if row.entry < entries:
                own = costs.round_ms + (row.round.accepted + 1) * costs.token_ms
                text = row.entry % len(total)
                total[text] += shared + own + (reading_ms[text] if row.first else 0.0)
    return total


def plain_ms(texts: Sequence[Text], costs: Costs, reading_ms: Sequence[float], *, entries: int, batch: int) -> np.ndarray:
    """(texts,) the same without drafts."""
    token_ms = costs.target.ms([1] * batch) / batch + costs.round_ms + costs.token_ms
    total = np.zeros(len(texts))
    for entry in range(entries):
        text = entry % len(texts)
        total[text] += len(texts[text].tokens) * token_ms + reading_ms[text]
    return total
