"""The tags of torch's tensors: beside each storage that ever held a random number lies an array of their places in a list.

A tensor's tags are the same strided view of that array, so views and slices cost nothing, and a write through a view is
seen. The tensor itself holds a marked NaN where a tag is, so that one which outlived its run is known when it is compared or read.
"""

import struct
from typing import Any

import numpy as np

from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.symbol import Symbol
from draftproof.shapes import Array

NONE = -1
"""The tag of an entry that is a plain number."""

MARK = struct.unpack("<d", (0x7FF8D7AF00000000).to_bytes(8, "little"))[0]
"""What a tensor holds where a random number is: a NaN with bits of its own, by which it is known when its tag is gone."""


class Shadow:
    """The tags of one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._symbols: list[Symbol] = []
        self._tags: dict[int, tuple[Any, Array, int]] = {}  # by storage: itself, so that it stays, its tags, bytes an entry

    def begin(self, run: Run) -> None:
        """Forget every tag: another run begins."""
        self.run, self._symbols, self._tags = run, [], {}

    @property
    def is_empty(self) -> bool:
        """Whether no tensor of this run ever held a random number."""
        return not self._tags

    def holds(self, value: Any) -> bool:
        """Whether a value is a tensor, with tags or not."""
        import torch

        return isinstance(value, torch.Tensor)

    def tags(self, tensor: Array) -> Array | None:
        """The tags of a tensor, as a view that can be written; None if its storage has none."""
        import torch

        entry = self._tags.get(tensor.untyped_storage()._cdata) if tensor.layout == torch.strided else None
        if entry is None:
            return None
        if entry[2] != tensor.element_size():
            if bool((entry[1] >= 0).any()):
                self.run.refuse("reading the bytes of a random tensor as another type")
            return None
        return entry[1].as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())

    def is_live(self, tensor: Any) -> bool:
        """Whether an entry of a tensor is a random number."""
        import torch

        if not self._tags or not isinstance(tensor, torch.Tensor):
            return False
        tags = self.tags(tensor)
        return tags is not None and bool((tags >= 0).any())

    def check_fresh(self, tensor: Any) -> None:
        """Return if no entry is a random number of an earlier run.

        Raises:
            NotReproducible: one is.
        """
        import torch

        if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point() or tensor.layout != torch.strided:
            return
        tags, unknown = self.tags(tensor), tensor.isnan()
        if tags is not None:
            unknown &= tags < 0
        if bool(unknown.any()):
            whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
            mark = torch.tensor(MARK, dtype=tensor.dtype).view(whole)
            if bool((tensor.detach()[unknown].view(whole) == mark).any()):
                raise self.run.stale()

    def tags_or_none(self, tensor: Array) -> Array:
        """A copy of the tags of a tensor."""
        import torch

        tags = self.tags(tensor)
        return torch.full(tensor.shape, NONE, dtype=torch.int64) if tags is None else tags.clone()

    def put_tags(self, tensor: Array, tags: Array) -> None:
        """Write the tags of a tensor."""
        import torch

        key = tensor.untyped_storage()._cdata
        if key not in self._tags:
            if not bool((tags >= 0).any()):
                return
            storage, size = tensor.untyped_storage(), tensor.element_size()
            self._tags[key] = (storage, torch.full((storage.nbytes() // size,), NONE, dtype=torch.int64), size)
        mine = self.tags(tensor)
        if mine is not None:
            mine.copy_(tags)

    def clear(self, tensor: Array) -> None:
        """Note that a tensor was overwritten with plain numbers."""
        tags = self.tags(tensor)
        if tags is not None:
            tags.fill_(NONE)

    def entries(self, tensor: Array) -> list[Any]:
        """The entries of a tensor in order, symbols and plain numbers."""
        import torch

        with torch._C.DisableTorchFunction():
            values, tags = tensor.detach().reshape(-1).tolist(), self.tags(tensor)
        if tags is None:
            return list(values)
        return [value if tag < 0 else self._symbols[tag] for value, tag in zip(values, tags.reshape(-1).tolist(), strict=True)]

    def put_entries(self, tensor: Array, entries: list[Any]) -> None:
        """Write the entries of a tensor in order."""
        import torch

        tags, values = [], []
        for entry in entries:
            tags.append(self._tag(entry) if isinstance(entry, Symbol) else NONE)
            values.append(MARK if isinstance(entry, Symbol) else entry)
        tensor.detach().copy_(torch.tensor(values, dtype=tensor.dtype).reshape(tensor.shape))
        self.put_tags(tensor, torch.tensor(tags, dtype=torch.int64).reshape(tensor.shape))

    def is_random(self, data: Any) -> bool:
        """Whether a number, or a list or array of numbers and tensors, has a random one in it. A tensor itself is not asked."""
        if isinstance(data, list | tuple):
            return any(self.is_live(part) or self.is_random(part) for part in data)
        if isinstance(data, np.ndarray):
            return data.dtype == object and any(isinstance(entry, Symbol) for entry in data.flat)
        return isinstance(data, Symbol)

    def made_of(self, data: Any) -> Array:
        """A new tensor of such numbers, of the type that torch makes of numbers or of numpy's."""
        import torch

        numbers = np.array(self._nested(data), dtype=object)
        made = torch.empty(numbers.shape, dtype=torch.float64 if isinstance(data, np.ndarray) else torch.get_default_dtype())
        self.put_entries(made, list(numbers.flat))
        return made

    def _nested(self, data: Any) -> Any:
        if isinstance(data, list | tuple):
            return [self._nested(part) for part in data]
        return self.listed(data) if self.holds(data) else data.tolist() if isinstance(data, np.ndarray) else data

    def listed(self, tensor: Array) -> Any:
        """The entries of a tensor in nested lists, as `tolist` gives them."""
        entries = iter(self.entries(tensor))

        def nest(sizes: tuple[int, ...]) -> Any:
            return [nest(sizes[1:]) for _ in range(sizes[0])] if sizes else next(entries)

        return nest(tuple(tensor.shape))

    def _tag(self, symbol: Symbol) -> int:
        self._symbols.append(symbol)
        return len(self._symbols) - 1
