"""Ceilings: the most that any exact rule can keep. A measured acceptance above its ceiling proves that a rule is not exact.

`overlap` runs on every carrier. The others are yardsticks, not parts of a decode, and take numpy rows of fractions or floats.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from draftproof.errors import Unsupported
from draftproof.shapes import Array, Shaped
from draftproof.tree import Siblings

ContextLaw = Callable[[tuple[int, ...]], Any]
"""From a text to the law (vocab,) of the next token."""


def overlap(target_rows: Shaped[Array, "*axes vocab"], draft_rows: Shaped[Array, "*axes vocab"]) -> Any:
    """sum min(p, q) = 1 - TV(p, q): the most that one drafted token can be kept, for each row (...); a number for one row.

    An output x can come from a kept draft x with probability at most min(p(x), q(x)).
    """
    return (target_rows - (target_rows - draft_rows).clip(min=0)).sum(-1)


def coupled_overlap(p: Shaped[np.ndarray, " vocab"], q: Shaped[np.ndarray, " vocab"]) -> Any:
    """sum over j of 1 / sum over i of max(q_i / q_j, p_i / p_j): how often `coupled` keeps one drafted token, exactly.

    Draft and target both choose j when E_i >= E_j max(q_i / q_j, p_i / p_j) for every i. At least (1 - TV) / (1 + TV).
    In the order of p / q the maximum is q_i / q_j for every i before j, and p_i / p_j from j on.
    """
    shared = (p > 0) & (q > 0)
    order = (p[shared] / q[shared]).argsort(kind="stable")
    p_in_order, q_in_order = p[shared][order], q[shared][order]
    q_before = q[p == 0].sum() + q_in_order.cumsum() - q_in_order
    p_from = p.sum() - p_in_order.cumsum() + p_in_order
    return (1 / (q_before / q_in_order + p_from / p_in_order)).sum() + p.sum() * 0


def transport_ceiling(p: Shaped[np.ndarray, " vocab"], q: Shaped[np.ndarray, " vocab"], count: int, siblings: Siblings) -> Any:
    """The most that one of `count` siblings can be kept: the optimal transport from siblings to output.

    By max-flow min-cut it is the least over sets H of p(H) + 1 - Pr(all siblings lie in H), and the least is met by a
    prefix of the tokens in order of p / q (Hu et al. 2025, arXiv 2502.18779). For independent siblings
    Pr = q(H)**count; without replacement, for two, Pr = sum over x in H of q(x) (q(H) - q(x)) / (1 - q(x)).
    Cost: O(vocab log vocab), and O(vocab**count) for three or more siblings without replacement.

    Raises:
        Unsupported: siblings drawn as `TOP_PLUS_ONE`, whose ceiling `top_plus_one` attains.
    """
    if siblings is Siblings.TOP_PLUS_ONE:
        raise Unsupported("the ceiling of top_plus_one is what the rule itself keeps: see rules.top_plus_one")
    order = sorted(range(len(p)), key=lambda token: (p[token] / q[token] if q[token] else np.inf, token))
    inside = _all_inside(q, order, count, siblings)
    best = outside = p.sum() * 0 + 1
    covered = outside * 0
    for token, chance in zip(order, inside, strict=True):
        covered = covered + p[token]
        best = min(best, covered + outside - chance)
    return best


def _all_inside(q: np.ndarray, order: Sequence[int], count: int, siblings: Siblings) -> list[Any]:
    """Pr(all siblings lie in H) for every prefix H of the order. Where q has fewer tokens, fewer siblings are drawn."""
    if siblings is Siblings.INDEPENDENT or count == 1:
        return [mass**count for mass in np.cumsum(q[order])]
    if count == 2 and (q < 1).all():
        mass, first, both = (np.cumsum(terms) for terms in (q[order], (q / (1 - q))[order], (q * q / (1 - q))[order]))
        return list(mass * first - both)
    return [_drawn_inside(q, frozenset(order[:size]), frozenset(), count) for size in range(1, len(order) + 1)]


def _drawn_inside(q: np.ndarray, inside: frozenset[int], drawn: frozenset[int], count: int) -> Any:
    """Pr(the next `count` siblings, without replacement, lie in `inside`), given those already drawn."""
    left = sum(mass for token, mass in enumerate(q) if token not in drawn)
    if not count or not left:
        return q.sum() * 0 + 1
    return sum(q[token] / left * _drawn_inside(q, inside, drawn | {token}, count - 1) for token in inside - drawn if q[token])


def chain_ceiling(target: ContextLaw, draft: ContextLaw, width: int, vocab: int) -> Any:
    """sum over i <= width and texts x^i of min(P(x^i), Q(x^i)): the most that one round can keep of a drafted chain.

    A prefix is kept at most as often as it is drafted, and at most as often as it is the output. `block` reaches less
    because it leaves the rounds that follow as they are. Cost: O(vocab**width).
    """
    total: Any = 0
    level: list[tuple[tuple[int, ...], Any, Any]] = [((), 1, 1)]
    for _ in range(width):
        level = [((*text, token), p * target(text)[token], q * draft(text)[token]) for text, p, q in level for token in range(vocab)]
        total = total + sum(min(p, q) for _, p, q in level)
    return total
