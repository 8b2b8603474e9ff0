"""Ragged blocks as one rectangle: which column stands at which position, and which row sees which column."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from draftproof.models.protocol import Block
from draftproof.shapes import Bool, Int


class Layout(NamedTuple):
    """A pass over several requests.

    Columns are what is cached, from the left, then what is fed now, from the right, so that the rows whose logits are
    wanted are the last ones of every request. What lies between is padding, which only itself sees.

    Attributes:
        tokens: what is fed; 0 where a request feeds less than the widest.
        positions: of each column, in tokens from the beginning of its text. Siblings share a position.
        visible: whether the row of a fed token sees a column: its own past and its own ancestors.
    """

    tokens: Int[np.ndarray, "batch fed"]
    positions: Int[np.ndarray, "batch column"]
    visible: Bool[np.ndarray, "batch fed column"]

    @property
    def fed_positions(self) -> Int[np.ndarray, "batch fed"]:
        return self.positions[:, -self.tokens.shape[1] :]

    def within(self, window: int | None) -> Bool[np.ndarray, "batch fed column"]:
        """`visible`, for a layer that looks back over the last `window` positions, its own among them."""
        if window is None:
            return self.visible
        return self.visible & (self.fed_positions[:, :, None] - self.positions[:, None, :] < window)


def lay_out(lengths: Sequence[int], blocks: Sequence[Block]) -> Layout:
    """The layout of `blocks`, each behind a cache that holds `lengths` tokens."""
    held, fed = max(lengths), max(map(entries, blocks))
    tokens = np.zeros((len(blocks), fed), np.int64)
    positions = np.zeros((len(blocks), held + fed), np.int64)
    visible = np.zeros((len(blocks), fed, held + fed), bool)
    visible[:, range(fed), range(held, held + fed)] = True
    for row, (length, block) in enumerate(zip(lengths, blocks, strict=True)):
        first = fed - entries(block)
        tokens[row, first:] = [*block.tokens, *block.drafted]
        positions[row, :length] = range(length)
        positions[row, held + first :] = [length + depth for depth in depths(block)]
        visible[row, first:, :length] = True
        visible[row, first:, held + first :] = _ancestors(block)
    return Layout(tokens, positions, visible)


def entries(block: Block) -> int:
    """How many entries the block adds to a cache."""
    return len(block.tokens) + len(block.drafted)


def depths(block: Block) -> list[int]:
    """How many positions behind the first of the block each of its tokens stands."""
    base = len(block.tokens) - 1
    found = list(range(base + 1))
    for parent in block.parents:
        found.append(found[base + parent] + 1)
    return found


def _ancestors(block: Block) -> Bool[np.ndarray, "fed fed"]:
    base = len(block.tokens) - 1
    sees = np.tri(entries(block), dtype=bool)
    for node, parent in enumerate(block.parents, start=base + 1):
        sees[node] = sees[base + parent]
        sees[node, node] = True
    return sees
