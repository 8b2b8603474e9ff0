"""The one-hot rule: treat every drafted token as chosen, not drawn.

With q = 1 at the drafted token, rejection keeps it with probability p(x), and otherwise draws from p without x.

Exact given the draft: whatever proposed x, the emitted token has the law p(x) [x] + (1 - p(x)) p without x / (1 - p(x)) = p.
So it is right for a draft of any origin: an n-gram, an argmax, a user's text, a sample whose q is lost or not believed.
With several children it is `recursive` on point masses, which keeps p(children) of the tokens.

Keeps p(x); on a sampled draft sum p q, less than the overlap. Nothing beats it on a fixed draft. Needs no q.
The verdict has the same law as `match`, which says the same from the target's side.
"""

from draftproof.rules.recursive import recursive
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw


def point_mass(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a tree of any origin."""
    return recursive(target_probs, draft.as_fixed())
