"""Shared noise: the target's own token is emitted, and a draft is kept while it equals it.

Daliri, Musco, Suresh 2024 (arXiv 2408.07978) for one drafted token. At each absolute position t every token v has one
exponential E[t, v]; the draft token is argmin E / q and the target's argmin E / p. Several siblings are the n
smallest E / q, which is a draw without replacement from q; that construction is ours.

Exact because the emitted token is a function of p and of the noise at t alone, and argmin E / p has the law p. So the
text for a seed is the same with any drafter, any width, any tree, or none. Given the draft its law is *not* p: draft
and target share noise.

Keeps one drafted token with probability sum_j 1 / sum_i max(q_i / q_j, p_i / p_j), at least (1 - TV) / (1 + TV). Cost: one
race over the vocabulary a visited node. Needs no q, and is exact for a draft of any origin.
"""

from collections.abc import Callable

import numpy as np

from draftproof.types import Draft, Verdict


def coupled(choose: Callable[[int, int], int], draft: Draft) -> Verdict:
    """Follow the target's choices down the draft. `choose(row, node)` is the target's token after that node."""
    kept, token = [], []
    for row, drafted in enumerate(draft.tokens):
        node, choice = 0, choose(row, 0)
        while child := next((c for c in draft.tree.children[node] if drafted[c - 1] == choice), 0):
            node, choice = child, choose(row, child)
        kept.append(node)
        token.append(choice)
    return Verdict(np.array(kept), np.array(token))
