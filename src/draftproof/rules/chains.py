"""What the rules that verify a chain share.

A chain of K tokens is read as K + 1 slots: after the last token comes a slot in which nothing was drafted, with a law
of zeros. A row that drafts fewer tokens has more such slots. What was never drafted is never accepted, and the
residual p - 0 is p itself; so the bonus token and a ragged batch need no case of their own.
"""

from collections.abc import Sequence

import numpy as np

from draftproof.carriers import stack
from draftproof.errors import Unsupported
from draftproof.shapes import Array, Int, Shaped
from draftproof.types import NOTHING, Draft


def chain_laws(
    target_probs: Shaped[Array, "batch position vocab"], draft: Draft, *, rule: str
) -> tuple[Shaped[Array, "batch position vocab"], Int[np.ndarray, "batch position"]]:
    """The draft law and the token of each of the K + 1 slots.

    Raises:
        Unsupported: the draft branches.
    """
    if not draft.tree.is_chain:
        raise Unsupported(
            f"{rule} verifies a chain, and this draft branches (parents {draft.tree.parents}); use recursive, traversal or match"
        )
    laws = draft.laws(target_probs)
    slots = [laws[:, slot] for slot in range(draft.tree.width)] + [target_probs[:, 0] * 0]
    tokens = np.pad(draft.tokens, ((0, 0), (0, 1)), constant_values=NOTHING)
    return stack(slots), tokens


def first_rejection(accept: Shaped[Array, "batch position"]) -> Shaped[Array, "batch position"]:
    """The law of the number kept when slot n is kept with probability `accept[n]` and the first refusal ends the chain."""
    return stack(first_success([1 - accept[:, slot] for slot in range(accept.shape[1])]))


def first_success(chances: Sequence[Shaped[Array, " batch"]]) -> list[Shaped[Array, " batch"]]:
    """The probability that each of a list of independent tests is the first that succeeds."""
    left, law = chances[0] * 0 + 1, []
    for chance in chances:
        law.append(left * chance)
        left = left * (1 - chance)
    return law
