"""The n-1 best tokens and one sample, the sample tested first: Hu et al., ICLR 2025 (arXiv 2502.18779).

Of n children, T is the set of the n-1 likeliest tokens of q, proposed for sure, and one token is drawn from q' = q off
T, renormalised. This is `recursive` on a draft with `Siblings.TOP_PLUS_ONE`, which places the sample first.

The order is what makes it optimal. Tested first, the sample is kept with probability sum over v off T of
min(p(v), q'(v)); since q' = 0 on T, the residual there still has all of p(T), and a fixed child of T is then kept with
its residual probability. Together p(T) + sum_{v off T} min(p(v), q'(v)), the ceiling for this draft. Testing T first
renormalises p against a sample drawn for the whole of p, and keeps less. Exact in any order, as `recursive` is.
"""

from draftproof.errors import Unsupported
from draftproof.rules.recursive import recursive
from draftproof.shapes import Array
from draftproof.tree import Siblings
from draftproof.types import Draft, VerdictLaw


def top_plus_one(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a tree drawn with `Siblings.TOP_PLUS_ONE`.

    Raises:
        Unsupported: the siblings were drawn in another way.
    """
    if not draft.tree.is_chain and draft.tree.siblings is not Siblings.TOP_PLUS_ONE:
        raise Unsupported(f"top_plus_one needs siblings drawn as {Siblings.TOP_PLUS_ONE}; these are {draft.tree.siblings}; use recursive")
    return recursive(target_probs, draft)
