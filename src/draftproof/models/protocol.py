"""What a language model must do to be decoded.

A cache belongs to one request and holds one entry a token. Between rounds it holds the context minus its last token.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from draftproof.shapes import Array


class Block(NamedTuple):
    """What one pass appends to one cache.

    Attributes:
        tokens: at least one token, in order.
        drafted: the tokens of a tree that hangs from the last of `tokens`; they see their own ancestors only.
        parents: the parent of each drafted token: 0 for the last of `tokens`, n for the n-th drafted token.
    """

    tokens: Sequence[int]
    drafted: Sequence[int] = ()
    parents: Sequence[int] = ()

    @property
    def is_chain(self) -> bool:
        """True if every drafted token hangs from the one before it."""
        return list(self.parents) == list(range(len(self.drafted)))


@runtime_checkable
class Cache(Protocol):
    """What a model remembers of one request."""

    @property
    def length(self) -> int:
        """The number of tokens held."""
        ...

    def truncate(self, length: int) -> None:
        """Forget every entry beyond `length`.

        Raises:
            Unsupported: naming why this cache cannot be rolled back.
        """
        ...

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        """Of the entries from `start` on keep only those at `start + offset`, in that order.

        Raises:
            Unsupported: the offsets are not 0, 1, 2, ... and this cache holds chains only.
        """
        ...


@runtime_checkable
class Model(Protocol):
    """A causal language model."""

    @property
    def vocab(self) -> int:
        """The number of token ids."""
        ...

    def start(self) -> Cache:
        """An empty cache."""
        ...

    def extend(self, caches: Sequence[Any], blocks: Sequence[Block]) -> list[Array]:
        """Append each block to its cache, made by this model's `start`, in one pass; ragged over the batch.

        Returns:
            a request: logits (1 + drafted, vocab), after the last of `tokens` and after each drafted token.
        """
        ...
