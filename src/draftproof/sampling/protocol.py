"""From logits to the law that is sampled, at one prefix.

What the rules remember of a prefix (counts, automata, a running surprise) is a value that is folded one token at a
time and never changed in place. So the rows of a block and the branches of a tree each get the law of their own prefix, and a
refused token leaves no trace.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from draftproof.shapes import Array

Prefix = Any
"""What the sampling rules remember of a prefix; a value, opaque to everything else."""


@runtime_checkable
class Sampling(Protocol):
    """The sampling rules of one request, the same for target and draft."""

    def start(self, prompt: Sequence[int]) -> Prefix:
        """The memory of a prompt."""
        ...

    def fold(self, prefix: Prefix, token: int, law: Array) -> Prefix:
        """The memory after one more token, which was drawn where `law` (vocab,) held."""
        ...

    def laws(self, logits: Array, prefix: Prefix, drafted: Sequence[int], parents: Sequence[int]) -> tuple[Array, list[Prefix]]:
        """The laws of a block.

        Args:
            logits: (1 + drafted, vocab), after the prefix and after each drafted token.
            prefix: the memory where the block begins.
            drafted: the drafted tokens, and `parents`: for each 0 or the number of an earlier one (from 1).

        Returns:
            laws (1 + drafted, vocab), and the memory after each row's own path.
        """
        ...


class Verbatim:
    """The model's rows are laws already: what table models need."""

    def start(self, prompt: Sequence[int]) -> Prefix:
        return None

    def fold(self, prefix: Prefix, token: int, law: Array) -> Prefix:
        return None

    def laws(self, logits: Array, prefix: Prefix, drafted: Sequence[int], parents: Sequence[int]) -> tuple[Array, list[Prefix]]:
        return logits, [None] * (1 + len(drafted))
