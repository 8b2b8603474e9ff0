"""Draft with any function of the context, or nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from draftproof.drafters.protocol import Request
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft, Picker


@dataclass(frozen=True)
class FunctionDrafter:
    """A deterministic drafter: each proposed token is a point mass.

    Attributes:
        propose_tokens: from the context to the tokens of the tree, at most as many as it has nodes.
        vocab: the target's vocabulary.
        tree: the shape; by default a chain as long as the longest proposal of the round.
    """

    propose_tokens: Callable[[Sequence[int]], Sequence[int]]
    vocab: int
    tree: Tree | None = None

    def start(self) -> None:
        return None

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        return Draft.fixed([self._row(request) for request in requests], vocab=self.vocab, tree=self.tree)

    def _row(self, request: Request) -> Sequence[int]:
        row = self.propose_tokens(request.context)
        if self.tree is None:
            return row[: request.width]
        deep = {node for node in range(1, self.tree.width + 1) if len(self.tree.path(node)) > request.width}
        return [NOTHING if node in deep else token for node, token in enumerate(row, start=1)]


def no_drafter(vocab: int) -> FunctionDrafter:
    """Plain decoding: one token a round."""
    return FunctionDrafter(lambda context: (), vocab)
