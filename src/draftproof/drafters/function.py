"""Draft with any function of the context: a lookup, a retrieved text, a user's guess, or nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from draftproof.session import Session
from draftproof.tree import Tree
from draftproof.types import Draft, Picker


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

    def propose(self, sessions: Sequence[Session], pick: Picker) -> Draft:
        return Draft.fixed([self.propose_tokens(session.context) for session in sessions], vocab=self.vocab, tree=self.tree)


def no_drafter(vocab: int) -> FunctionDrafter:
    """Plain decoding: one token a round."""
    return FunctionDrafter(lambda context: (), vocab)
