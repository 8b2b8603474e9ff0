"""What each step of a chain does to one row."""

from typing import Any, NamedTuple

import numpy as np

from draftproof.sampling.carry import to_numpy
from draftproof.sampling.chain import Chain, Prefix
from draftproof.sampling.cuts import entropy
from draftproof.sampling.transform import parameters
from draftproof.shapes import Array, Shaped


class Effect(NamedTuple):
    """What is true after one step.

    Attributes:
        name: of the step; "logits" for the row as the model gave it.
        parameters: its settings.
        mass_removed: the probability that tokens removed here had just before, between 0 and 1.
        tokens_left: how many tokens have a probability above 0.
        entropy_nats: of the law so far.
        law: the law so far, (vocab,) float64.
    """

    name: str
    parameters: dict[str, Any]
    mass_removed: float
    tokens_left: int
    entropy_nats: float
    law: Shaped[np.ndarray, " vocab"]


def explain(chain: Chain, logits: Shaped[Array, " vocab"], prefix: Prefix) -> list[Effect]:
    """The effect of every step on one row, the model's own law first.

    The law after some steps is that of the chain cut off there; after a mixture it is the mixture. The row is widened to
    float64, so where rounding decides, float32 rows may keep another token.

    Raises:
        BadLaw: a step removed the last token.
    """
    scores = to_numpy(logits).astype(np.float64)
    effects: list[Effect] = []
    for count in range(len(chain.transforms) + 1):
        law = Chain(chain.transforms[:count]).law(scores, _of_first(chain, count, prefix))
        before = effects[-1].law if effects else law
        step = chain.transforms[count - 1] if count else None
        effects.append(
            Effect(
                name=step.name if step else "logits",
                parameters=parameters(step) if step else {},
                mass_removed=float(before[law == 0].sum()),
                tokens_left=int((law > 0).sum()),
                entropy_nats=float(entropy(law[None])[0]) + 0.0,  # -0.0 becomes 0.0
                law=law,
            )
        )
    return effects


def _of_first(chain: Chain, count: int, prefix: Prefix) -> Prefix:
    """The memory that the first `count` transforms have of the prefix."""
    memories = Chain(chain.transforms[:count]).memories
    return Prefix(prefix.states[: len(memories)])
