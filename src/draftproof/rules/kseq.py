"""k-SEQ: n independent siblings at a node, each tested against the whole of q: SpecTr (arXiv 2310.15141, section 4).

With b(r) = sum_x min(q(x), p(x) / r), each sibling is kept with probability min(1, p(x) / (r q(x))), and when all n
are refused the token is drawn from p - min(q, p / r) g(b), normalised, with g(b) = (1 - (1 - b)^n) / b.

Exact for *any* r at which that residual is non-negative: a token x is emitted as a sibling with probability
min(q(x), p(x) / r) (1 + (1 - b) + ... + (1 - b)^(n-1)) = min(q, p / r) g(b), and as the last resort with what is left of
p(x). Non-negative means r >= g(b(r)), and since r b(r) - (1 - (1 - b(r))^n) only grows with r, that holds from the root on;
at r = n it always does. The divisor is rounded up from the root: that costs acceptance, never exactness.

Keeps 1 - (1 - b)^n, at least (1 - 1/e) of the optimum over all rules. Cost: about 27 passes over the vocabulary a node.
Needs q, and siblings drawn independently.
"""

import numpy as np

from draftproof.carriers import at, from_float64, is_exact, normalise, ones, pick_row, ratio, stack, to_float64
from draftproof.errors import Unsupported
from draftproof.shapes import Array, Shaped
from draftproof.tree import Siblings
from draftproof.types import Draft, VerdictLaw

# Divisors are multiples of this step, the rounding of float32 rows: small rationals, and within a step of the best one.
STEP = 2.0**-24


def kseq(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a tree of independent siblings. (batch, draft + 1, vocab), draft -> kept, correction.

    Raises:
        Unsupported: siblings of a node were not drawn independently from one law.
    """
    if not draft.tree.is_chain and (draft.is_fixed or draft.tree.siblings is not Siblings.INDEPENDENT):
        raise Unsupported("kseq needs siblings drawn independently from one law; use recursive for distinct or fixed ones")
    q, x = draft.laws(target_probs), draft.tokens
    reach = [ones(target_probs)] * (draft.tree.width + 1)
    kept, left_over = [], []
    for node, children in enumerate(draft.tree.children):
        here, p = reach[node], target_probs[:, node]
        left = p
        if children:
            q_node = q[:, children[0] - 1]
            common = _common(p, q_node, divisor(p, q_node, len(children)))
            for child in children:
                x_child = x[:, child - 1 : child]
                accept = ratio(at(common[:, None], x_child), at(q_node[:, None], x_child))[:, 0]
                reach[child] = here * accept
                here = here * (1 - accept)
            # Not negative but for rounding, since r >= g(b(r)).
            left = (p - common * _tries(common.sum(-1), len(children))[:, None]).clip(min=0)
        kept.append(here)
        left_over.append(normalise(left, otherwise=p))

    following = stack(left_over)
    return VerdictLaw(stack(kept), lambda node: pick_row(following, node))


def divisor(p: Shaped[Array, "batch vocab"], q: Shaped[Array, "batch vocab"], count: int) -> Shaped[Array, " batch"]:
    """A multiple of `STEP` in [1, count] at or just above the root of r = g(b(r)), found by bisection in float64."""
    if count == 1:
        return ones(p)
    target, draft = to_float64(p), to_float64(q)
    low, high = np.ones(len(target)), np.full(len(target), float(count))
    while (high - low > STEP / 4).any():
        middle = (low + high) / 2
        valid = middle >= _tries(np.minimum(draft, target / middle[:, None]).sum(-1), count)
        low, high = np.where(valid, low, middle), np.where(valid, middle, high)
    found = from_float64(np.minimum((np.floor(high / STEP) + 1) * STEP, count), p)
    if is_exact(p):
        # Near a double root the two sides differ by less than float64 shows, and the bisection may end below it. Among
        # floats that leaves a residual negative by a rounding; among fractions it would leave a law that is not exact.
        short = found < _tries(_common(p, q, found).sum(-1), count)
        found = found * ~short + count * short
    return found


def _common(p: Shaped[Array, "batch vocab"], q: Shaped[Array, "batch vocab"], r: Shaped[Array, " batch"]) -> Shaped[Array, "batch vocab"]:
    """min(q, p / r)."""
    return q - (q - p / r[:, None]).clip(min=0)


def _tries(b: Shaped[Array, " batch"], count: int) -> Shaped[Array, " batch"]:
    """g(b) = 1 + (1 - b) + ... + (1 - b)^(count - 1), the expected number of siblings looked at."""
    total, term = b * 0, b * 0 + 1
    for _ in range(count):
        total, term = total + term, term * (1 - b)
    return total
