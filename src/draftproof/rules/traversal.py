"""Traversal verification: block verification on a tree, from the leaves to the root. Weng et al. 2025 (arXiv 2505.12398).

Nodes are tested in post-order, and the first that passes ends the kept path. Each node carries the weight a with
which its path may still be kept (1 at the root), the target's law p' still to be given out below it and, for each child, the
law q' it was drawn from. On the way down a child x gets a' = min(1, a p'(x) / q'(x)). A node without children left is
kept with probability a. When a child is refused, its parent turns to what that child left over: with
S = sum (a p' - q')+,

    a  becomes  S / (S + 1 - a),        p'  becomes  (a p' - q')+ / S.

Exact by the argument of `block` at each refusal: a p' splits into what a child drawn from q' can give out and the
residual, whose share among the refusals is the new a. On a chain it is `block`; on a node with leaves only it is
`recursive`.

On a chain it keeps what `block` keeps; on trees usually more than `recursive`, but not always: see docs/rules/traversal.md.
Cost: two passes over the vocabulary a node. Needs every
row of q. No gain on a fixed tree, where nothing beats `match`.
"""

from functools import cache

from draftproof.carriers import at, normalise, ones, pick_row, ratio, stack
from draftproof.rules.chains import first_success
from draftproof.shapes import Array
from draftproof.tree import Tree
from draftproof.types import Draft, VerdictLaw


def traversal(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a tree. (batch, draft + 1, vocab), draft -> kept (batch, draft + 1), correction."""
    q, x = draft.laws(target_probs), draft.tokens
    weight = {0: ones(target_probs)}
    left_over = {node: target_probs[:, node] for node in range(draft.tree.width + 1)}

    def descend(node: int) -> None:
        """Settle the weight and the law of `node` for the moment when all its children are refused."""
        for child in draft.tree.children[node]:
            q_child, x_child = q[:, child - 1], x[:, child - 1 : child]
            a, p = weight[node], left_over[node]
            weight[child] = (a * ratio(at(p[:, None], x_child), at(q_child[:, None], x_child))[:, 0]).clip(max=1)
            descend(child)
            excess = (a[:, None] * p - q_child).clip(min=0)
            total, short = excess.sum(-1), 1 - a
            # Nothing in excess and nothing short: the child was kept for sure, and this moment never comes.
            weight[node] = ratio(total, total + short) + ((total == 0) & (short == 0))
            left_over[node] = normalise(excess, otherwise=p)

    descend(0)
    order = postorder(draft.tree)
    kept = dict(zip(order, first_success([weight[node] for node in order]), strict=True))
    nodes = range(draft.tree.width + 1)
    following = stack([left_over[node] for node in nodes])
    return VerdictLaw(stack([kept[node] for node in nodes]), lambda node: pick_row(following, node))


@cache
def postorder(tree: Tree) -> tuple[int, ...]:
    """Every node after all that hangs from it; the root last."""

    def below(node: int) -> tuple[int, ...]:
        return (*(n for child in tree.children[node] for n in below(child)), node)

    return below(0)
