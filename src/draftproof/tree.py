"""The shape of a draft: which node hangs from which, and how the children of one node are drawn together.

Node 0 is the end of the context; nodes 1..K are the drafted tokens, parents before children. A chain is the tree of
width one, and there node n is simply the n-th drafted token.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from draftproof.errors import BadDraft


class Siblings(StrEnum):
    """How the children of one node are drawn from the draft law q at that node."""

    INDEPENDENT = "independent"
    """Each from q itself; the same token may come twice."""
    DISTINCT = "distinct"
    """One after another without replacement: each from q without its elder siblings, renormalised."""
    TOP_PLUS_ONE = "top_plus_one"
    """Of n children, the first is drawn from q off its n-1 likeliest tokens, and those tokens are the others."""


@dataclass(frozen=True)
class Tree:
    """`parents[i]` is the parent of node i + 1.

    Raises:
        BadDraft: a parent that does not come before its child.
    """

    parents: tuple[int, ...]
    siblings: Siblings = Siblings.DISTINCT

    def __post_init__(self) -> None:
        for child, parent in enumerate(self.parents, start=1):
            if not 0 <= parent < child:
                raise BadDraft(f"node {child} has parent {parent}; a parent must be a node from 0 to {child - 1}")

    @classmethod
    def chain(cls, width: int) -> "Tree":
        """`width` tokens one after another."""
        return cls(tuple(range(width)))

    @classmethod
    def branching(cls, *counts: int, siblings: Siblings = Siblings.DISTINCT) -> "Tree":
        """Every node at depth d has `counts[d]` children: `branching(2, 1)` is two chains of two tokens."""
        parents: list[int] = []
        level = [0]
        for count in counts:
            first = len(parents) + 1
            parents += [parent for parent in level for _ in range(count)]
            level = list(range(first, len(parents) + 1))
        return cls(tuple(parents), siblings)

    @property
    def width(self) -> int:
        """K, the number of drafted tokens."""
        return len(self.parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every node, in the order in which they are drawn and tested."""
        return tuple(tuple(c for c, p in enumerate(self.parents, start=1) if p == node) for node in range(self.width + 1))

    @property
    def is_chain(self) -> bool:
        return self.parents == tuple(range(self.width))

    @property
    def depth(self) -> int:
        """The number of tokens on the longest path."""
        return max(len(self.path(node)) for node in range(self.width + 1))

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes from the first drafted token down to `node`; empty for node 0."""
        nodes: list[int] = []
        while node:
            nodes.append(node)
            node = self.parents[node - 1]
        return tuple(reversed(nodes))
