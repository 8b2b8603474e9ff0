"""Verification rules with a fault, each one line away from `rejection`: what an audit must find in an engine of ours."""

import numpy as np

from draftproof.carriers import at, pick_row, ratio, stack
from draftproof.rules.chains import chain_laws, first_rejection
from draftproof.rules.greedy import greedy_law
from draftproof.rules.rejection import rejection
from draftproof.shapes import Array
from draftproof.types import Draft, Rule, VerdictLaw


def whole_fallback(target_probs: Array, draft: Draft) -> VerdictLaw:
    """A refused token is replaced by one from the whole target."""
    return replace_correction(rejection(target_probs, draft), target_probs)


def replace_correction(law: VerdictLaw, rows: Array) -> VerdictLaw:
    return VerdictLaw(law.kept, lambda kept: pick_row(rows, kept))


def first_unverified(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The first drafted token is kept without a look."""
    p, q, x = target_probs, *chain_laws(target_probs, draft, rule="rejection")
    accept = ratio(at(p, x), at(q, x)).clip(max=1)
    accept = stack([accept[:, 0] * 0 + (x[:, 0] >= 0), *(accept[:, slot] for slot in range(1, accept.shape[1]))])
    return VerdictLaw(first_rejection(accept), rejection(target_probs, draft).correction)


def no_coin(target_probs: Array, draft: Draft) -> VerdictLaw:
    """A drafted token is kept where the target finds it at least as likely as the draft did."""
    p, q, x = target_probs, *chain_laws(target_probs, draft, rule="rejection")
    accept = ((at(p, x) >= at(q, x)) & (x >= 0)) * 1.0
    return VerdictLaw(first_rejection(accept), rejection(target_probs, draft).correction)


def wrong_row(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The token after the draft is taken from the row before."""
    law = rejection(target_probs, draft)
    return VerdictLaw(law.kept, lambda kept: pick_row(target_probs, np.maximum(kept - 1, 0)))


def argmax(target_probs: Array, draft: Draft) -> VerdictLaw:
    """The likeliest token is taken where one should be sampled."""
    return rejection(greedy_law(target_probs), draft)


FAULTS: dict[str, Rule] = {rule.__name__: rule for rule in (whole_fallback, first_unverified, no_coin, wrong_row, argmax)}
