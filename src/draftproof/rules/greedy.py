"""Greedy decoding: keep the draft while it is the target's likeliest token, ties to the lowest id.

Temperature 0 is a law of its own, the point mass at the argmax; this rule is `match` against that law and exact for it.
Against p itself it is not exact, and it does not claim to be. Needs no q.
"""

import numpy as np

from draftproof.carriers import one_hot, to_numpy
from draftproof.rules.match import match
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw


def greedy_law(target_probs: Array) -> Array:
    """The point mass at the likeliest token of each row (..., vocab); of several equally likely ones the lowest id."""
    return one_hot(np.asarray(to_numpy(target_probs.argmax(-1))), target_probs.shape[-1], target_probs)


def greedy(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The law of a verdict on a tree, all of it point masses."""
    return match(greedy_law(target_probs), draft)
