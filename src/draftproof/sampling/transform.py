"""One step of a chain of sampling rules.

There are three kinds. A `Shift` changes scores, a `Cut` says which tokens stay, a `Mixture` follows the rest of the chain
more than once and mixes the laws. A score is a logit up to a constant for its row; a score of -inf is a token that
cannot come. Transforms are frozen and pure; what they know of the prefix comes from their `memory`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from draftproof.errors import BadRequest
from draftproof.sampling.memory import Memory, Nothing, State
from draftproof.shapes import Bool, Int, Shaped

Scores = Shaped[np.ndarray, "rows vocab"]
Keep = Bool[np.ndarray, "rows vocab"]
Laws = Shaped[np.ndarray, "rows vocab"]


class Transform(ABC):
    """What all three kinds share.

    Attributes:
        name: as in the parameter that switches it on.
        reads_tokens: whether it matters which token a score belongs to. Steps that read scores alone may be handed a
            part of the vocabulary, in the order of the ids: the tokens that are still possible in some row.
    """

    name: ClassVar[str]
    reads_tokens: ClassVar[bool] = True

    @property
    def memory(self) -> Memory:
        """What it remembers of a prefix."""
        return Nothing()


class Shift(Transform):
    """Changes scores."""

    @abstractmethod
    def apply(self, scores: Scores, states: Sequence[State]) -> Scores:
        """New scores; row i belongs to the prefix of state i."""


class Cut(Transform):
    """Removes tokens and leaves the scores of the others."""

    @abstractmethod
    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        """Where a token stays. A token of score -inf is gone already, whatever is said of it here."""


class Mixture(Transform):
    """Tosses a coin before the rest of the chain; the law is the mixture over the coin."""

    @abstractmethod
    def mix(self, scores: Scores, states: Sequence[State], rest: Callable[[Scores], Laws]) -> Laws:
        """The laws, where `rest` gives the laws that the steps after this one make of given scores."""


def parameters(transform: Transform) -> dict[str, Any]:
    """The settings of a step by name."""
    return {item.name: getattr(transform, item.name) for item in fields(transform)}  # type: ignore[arg-type]


def describe(transform: Transform) -> str:
    """The step as in `top_k(k=50, ties_kept=True)`."""
    return f"{transform.name}({', '.join(f'{name}={value}' for name, value in parameters(transform).items())})"


def softmax(scores: Scores) -> Laws:
    """The laws of the rows; a row without any possible token becomes NaN."""
    laws = scores - scores.max(-1, keepdims=True)
    np.exp(laws, out=laws)
    laws /= laws.sum(-1, keepdims=True)
    return laws


def check_vocab(name: str, ids: Int[np.ndarray, " ids"], vocab: int) -> None:
    """Return if the vocabulary has every token of a list that a parameter gave.

    Raises:
        BadRequest: naming the parameter and the token.
    """
    if len(ids) and ids.max() >= vocab:
        raise BadRequest(f"{name} names token {ids.max()}; the vocabulary ends at {vocab - 1}")
