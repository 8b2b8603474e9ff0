"""Token-level rejection: the rule of Leviathan et al. 2023 (arXiv 2211.17192, algorithm 1) and Chen et al. 2023.

Keep token x with probability min(1, p(x) / q(x)); after the first refusal draw from the residual, the normalised
positive part of p - q.

Exact because a position emits x by being kept with probability min(p, q), and by the residual with probability
(1 - sum min(p, q)) * (p - q)+ / sum (p - q)+, and sum (p - q)+ = 1 - sum min(p, q); the two add to p.

Keeps `overlap(p, q)` = sum min(p, q) of the single tokens, the most that any rule can. Cost: K scalars for the
decision and one row over the vocabulary for the residual. Needs q.
"""

import numpy as np

from draftproof.carriers import at, normalise, pick_row, ratio
from draftproof.rules.chains import chain_laws, first_rejection
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw


def rejection(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a chain. (batch, draft + 1, vocab), draft -> kept (batch, draft + 1), correction."""
    p, q, x = target_probs, *chain_laws(target_probs, draft, rule="rejection")
    accept = ratio(at(p, x), at(q, x)).clip(max=1)

    def correction(kept: np.ndarray) -> Array:
        p_kept, q_kept = pick_row(p, kept), pick_row(q, kept)
        return normalise((p_kept - q_kept).clip(min=0), otherwise=p_kept)

    return VerdictLaw(first_rejection(accept), correction)
