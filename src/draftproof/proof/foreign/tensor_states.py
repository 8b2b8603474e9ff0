"""Tensors as bytes that depend on their numbers alone, so that equal states are equal bytes; what shares memory shares it again.

torch's own way of writing a tensor puts the address of its memory among the bytes.
"""

from collections.abc import Callable
from typing import Any

from draftproof.shapes import Array


class Memory:
    """What tensors of one state may share."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return _storage, (self.data,)


def reducers() -> dict[type, Callable[[Any], Any]]:
    """How the tensors of one state are taken apart, by type."""
    import torch

    memories: dict[int, Memory] = {}

    def taken_apart(tensor: Array) -> Any:
        storage = tensor.untyped_storage()
        if storage._cdata not in memories:
            whole = torch.empty(0, dtype=tensor.dtype).set_(storage)
            memories[storage._cdata] = Memory(whole.view(torch.uint8).numpy().tobytes())
        where = (tensor.storage_offset(), tuple(tensor.size()), tensor.stride())
        return _tensor, (memories[storage._cdata], tensor.dtype, tensor.requires_grad, where)

    return {torch.Tensor: taken_apart}


def _storage(data: bytes) -> Any:
    import torch

    return torch.frombuffer(bytearray(data), dtype=torch.uint8).untyped_storage() if data else torch.UntypedStorage(0)


def _tensor(storage: Any, dtype: Any, requires_grad: bool, where: tuple[Any, ...]) -> Array:
    import torch

    return torch.empty(0, dtype=dtype).set_(storage, *where).requires_grad_(requires_grad)
