"""Draft with a smaller language model, token by token, along a chain or a tree."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from draftproof.carriers import stack
from draftproof.drafters.protocol import Request
from draftproof.errors import BadRequest, EmptyLaw
from draftproof.models.protocol import Block, Cache, Model
from draftproof.sampling.protocol import Prefix
from draftproof.shapes import Array
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft, Picker


@dataclass
class Memory:
    """The draft model's cache and the tokens it holds."""

    cache: Cache
    tokens: list[int] = field(default_factory=list)

    def missing(self, wanted: Sequence[int]) -> list[int]:
        """Keep the common prefix with `wanted`, and return what must be fed to read the law after it: at least one token."""
        common = 0
        while common < min(len(self.tokens), len(wanted) - 1) and self.tokens[common] == wanted[common]:
            common += 1
        self.cache.truncate(common)
        self.tokens = list(wanted)
        return self.tokens[common:]


@dataclass(frozen=True)
class ModelDrafter:
    """A drafter that samples from `model` under the request's own sampling rules.

    Attributes:
        model: the smaller model, with the target's vocabulary.
        tree: the shape of a full draft.
        depth: how deep a request's draft may go this round. It is asked before anything is drawn, so it can depend on
            the past only; by default always the whole tree. The request's own width
            bounds it further.

    Raises:
        BadRequest: `depth` answered with a number below 0 or beyond the tree.
    """

    model: Model
    tree: Tree
    depth: Callable[[Request], int] | None = None

    def start(self) -> Memory:
        return Memory(self.model.start())

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        depths = [min(self._depth(request), request.width, self._room(request)) for request in requests]
        if not any(depths):
            return Draft.none(len(requests), vocab=self.model.vocab)
        prefixes: list[dict[int, Prefix]] = [{0: request.prefix} for request in requests]
        laws: list[dict[int, Array]] = [{} for _ in requests]

        def child_law(tokens: np.ndarray, node: int) -> Array:
            path = self.tree.path(node)
            live = [row for row, depth in enumerate(depths) if len(path) < depth and (not node or tokens[row, node - 1] != NOTHING)]
            for row in live if node else []:
                parent, token = self.tree.parents[node - 1], int(tokens[row, node - 1])
                prefixes[row][node] = requests[row].params.fold(prefixes[row][parent], token, laws[row][parent])
            feeds = [requests[row].memory.missing([*requests[row].context, *(int(tokens[row, n - 1]) for n in path)]) for row in live]
            logits = self.model.extend([requests[row].memory.cache for row in live], [Block(feed) for feed in feeds])
            for row, rows in zip(live, logits, strict=True):
                try:
                    laws[row][node] = requests[row].params.laws(rows, prefixes[row][node], [], [])[0][0]
                except EmptyLaw:
                    continue  # nothing that this model can say is allowed here: it drafts nothing
            blank = next((law[0] * 0 for law in laws if law), np.zeros(self.model.vocab))
            return stack([laws[row].get(node, blank) for row in range(len(requests))], axis=0)

        return Draft.sample(child_law, self.tree, pick)

    def _room(self, request: Request) -> int:
        """How deep the model can draft before its own context is full."""
        return max(0, int(getattr(self.model, "context_length", sys.maxsize)) - len(request.context))

    def _depth(self, request: Request) -> int:
        depth = self.tree.depth if self.depth is None else self.depth(request)
        if not 0 <= depth <= self.tree.depth:
            raise BadRequest(
                f"the draft depth is {depth} after {len(request.context)} tokens; "
                f"this drafter's tree allows 0 (draft nothing) to {self.tree.depth}"
            )
        return depth
