"""Recursive rejection on a tree: several drafted tokens at a node, tested one after another.

Children are tested in the order in which they were drawn. Each is kept with probability min(1, p'(x) / q'(x)), where q'
is the law it was drawn from given its elder siblings; after each refusal p' becomes the residual of p' and q'. When
all are refused the token is drawn from what is left of p'.

Exact because each test is `rejection` of p' against q': if what follows a refusal has the law of the residual, the node
has the law p'. By induction from the last child back to the first, the node has the law p.

One function, four rules of the literature; only the way the siblings were drawn differs, and the draft records it:

    with replacement      `Siblings.INDEPENDENT`    SpecInfer (arXiv 2305.09781)
    without replacement   `Siblings.DISTINCT`       RSD (arXiv 2402.14160), Sequoia (arXiv 2402.12374)
    top n-1 and a sample  `Siblings.TOP_PLUS_ONE`   Hu et al., ICLR 2025 (arXiv 2502.18779); see `top_plus_one`
    a fixed set           `Draft.fixed`             EAGLE-2 (arXiv 2406.16858); see `point_mass`

Cost: one residual row a child. Needs q of every child. On a chain it is `rejection`.
"""

from draftproof.carriers import at, normalise, ones, pick_row, ratio, stack
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw


def recursive(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a tree. (batch, draft + 1, vocab), draft -> kept (batch, draft + 1), correction."""
    q, x = draft.laws(target_probs), draft.tokens
    reach = [ones(target_probs)] * (draft.tree.width + 1)
    kept, left_over = [], []
    for node, children in enumerate(draft.tree.children):
        here, p = reach[node], target_probs[:, node]
        for child in children:
            q_child, x_child = q[:, child - 1], x[:, child - 1 : child]
            accept = ratio(at(p[:, None], x_child), at(q_child[:, None], x_child)).clip(max=1)[:, 0]
            reach[child] = here * accept
            here = here * (1 - accept)
            p = normalise((p - q_child).clip(min=0), otherwise=p)
        kept.append(here)
        left_over.append(p)

    following = stack(left_over)
    return VerdictLaw(stack(kept), lambda node: pick_row(following, node))
