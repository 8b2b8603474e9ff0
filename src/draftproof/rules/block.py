"""Block verification: Sun et al., ICLR 2025 (arXiv 2403.10444, algorithm 2).

Let P_0 = 1 and P_i = min(1, P_{i-1} p_i(x_i) / q_i(x_i)), the most that a prefix of i tokens may be kept. With
S_i = sum_v (P_i p_{i+1}(v) - q_{i+1}(v))+ each prefix is tested with probability h_i = S_i / (S_i + 1 - P_i), and the
*longest* prefix that passes is kept: a later token can rescue an earlier one. What follows is drawn from the positive
part of P_i p_{i+1} - q_{i+1}.

Exact because a prefix x^i survives with probability Q(x^i) P_i(x^i), the residual mass after it is
Q(x^i) (P_i p_{i+1} - q_{i+1})+ by construction, and the two make up P(x^i) p_{i+1}. Note that
S_i + 1 - P_i = sum_v (q_{i+1} - P_i p_{i+1})+.

Keeps sum_i E_Q[P_i] tokens: never fewer than `rejection`, the most that a rule can without changing later rounds, and
the same for K = 1 and for fixed drafts. Cost: two passes over the vocabulary a position. Needs every row of q.
"""

import numpy as np

from draftproof.carriers import at, normalise, ones, pick_row, ratio, stack
from draftproof.rules.chains import chain_laws, first_success
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw


def block(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a chain. (batch, draft + 1, vocab), draft -> kept (batch, draft + 1), correction."""
    p, q, x = target_probs, *chain_laws(target_probs, draft, rule="block")
    step = ratio(at(p, x), at(q, x))
    prefix = [ones(p)]
    for slot in range(draft.tree.width):
        prefix.append((prefix[-1] * step[:, slot]).clip(max=1))
    weight = stack(prefix)
    excess = (weight[:, :, None] * p - q).clip(min=0)
    short = 1 - weight
    # Nothing in excess and nothing short: p = q after a prefix kept for sure, so the next token passes for sure.
    sure = (excess.sum(-1) == 0) & (short == 0)
    passes = ratio(excess.sum(-1), excess.sum(-1) + short) + sure

    def correction(kept: np.ndarray) -> Array:
        return normalise(pick_row(excess, kept), otherwise=pick_row(p, kept))

    longest_first = [passes[:, slot] for slot in reversed(range(draft.tree.width + 1))]
    return VerdictLaw(stack(first_success(longest_first)[::-1]), correction)
