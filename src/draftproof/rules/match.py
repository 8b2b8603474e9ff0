"""Sampler match: draw y from p, keep the drafted token if it is y, and emit y in any case.

As a law: at a node the drafted child x is kept with probability p(x), and the token that follows a refusal is p without
the children. In a tree one y is drawn a *node*, and the child equal to it, if any, is kept; drawing one a path and
keeping the longest match would favour the draft.

Exact because y is emitted whatever was drafted. Keeps p(children): for a fixed child p(x), for a sampled one sum p q.
Cost: a sum over the vocabulary a node. Needs no q, and is exact for a draft of any origin.
"""

from draftproof.carriers import normalise, one_hot, ones, pick_row, stack
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw


def match(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a tree of any origin. (batch, draft + 1, vocab), draft -> kept, correction."""
    reach = [ones(target_probs)] * (draft.tree.width + 1)
    kept, left_over = [], []
    for node, children in enumerate(draft.tree.children):
        p = rest = target_probs[:, node]
        for child in children:
            x = one_hot(draft.tokens[:, child - 1], draft.vocab, p)
            reach[child] = reach[node] * (rest * x).sum(-1)  # a token that an elder sibling also holds has left `rest`
            rest = rest * (1 - x)
        kept.append(reach[node] * rest.sum(-1))
        left_over.append(normalise(rest, otherwise=p))

    following = stack(left_over)
    return VerdictLaw(stack(kept), lambda node: pick_row(following, node))
