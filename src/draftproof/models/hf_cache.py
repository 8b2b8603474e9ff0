"""What a torch model remembers of one request, and several of them as one rectangle for a pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Entries = Any
"""A transformers `DynamicCache` of plain layers: in each, keys and values of shape (batch, heads, tokens, width)."""


@dataclass
class HfCache:
    """One key and one value a token in every layer, also in layers that look back over a window only.

    transformers' own cache drops what a window has passed, and could then not be rolled back.
    """

    entries: Entries

    @property
    def length(self) -> int:
        return max((int(layer.keys.shape[-2]) for layer in filled(self.entries)), default=0)

    def truncate(self, length: int) -> None:
        for layer in filled(self.entries):
            layer.keys, layer.values = layer.keys[..., :length, :], layer.values[..., :length, :]

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        kept = list(offsets)
        if kept != list(range(len(kept))):
            rows = [*range(start), *(start + offset for offset in kept)]
            for layer in filled(self.entries):
                layer.keys, layer.values = layer.keys[..., rows, :], layer.values[..., rows, :]
        self.truncate(start + len(kept))


def filled(entries: Entries) -> list[Any]:
    """The layers that hold anything: not those that share the keys of another, and none before the first pass."""
    return [layer for layer in entries.layers if layer.keys is not None]


def join(rows: Sequence[Entries], empty: Entries) -> Entries:
    """`empty`, which then holds what each of the rows holds, from the left; beyond a row's own length stand zeros."""
    for place, layer in enumerate(empty.layers):
        own = [row.layers[place] for row in rows]
        if any(part.keys is not None for part in own):
            keys, values = (_stacked([getattr(part, side) for part in own]) for side in ("keys", "values"))
            layer.lazy_initialization(keys, values)
            layer.keys, layer.values = keys, values
    return empty


def _stacked(parts: Sequence[Any]) -> Any:
    some = [part for part in parts if part is not None]
    held = max(part.shape[2] for part in some)
    block = some[0].new_zeros((len(parts), some[0].shape[1], held, some[0].shape[3]))
    for place, part in enumerate(parts):
        if part is not None:
            block[place, :, : part.shape[2]] = part[0]
    return block


def append(entries: Entries, joined: Entries, row: int, count: int) -> None:
    """`entries` also holds the last `count` of one row of `joined`."""
    for own, layer in zip(entries.layers, joined.layers, strict=True):
        if layer.keys is not None:
            own.update(layer.keys[row : row + 1, :, -count:], layer.values[row : row + 1, :, -count:])
