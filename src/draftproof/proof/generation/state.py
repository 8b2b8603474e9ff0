"""Everything that an object holds, as bytes that are equal only if it holds the same."""

import io
import pickle
from collections.abc import Collection
from functools import cache
from types import FunctionType, MethodType
from typing import Any

_KEPT: dict[int, Any] = {}
"""Objects that count as themselves. They stay alive, so that no other can take their place in memory."""


def digest(item: Any, *, apart: Collection[str] = ()) -> bytes:
    """The item with all that it refers to.

    Tensors count as their numbers, not as the storage behind them, where a refused token may still lie. Functions,
    models and tokenizers count as themselves: they are the same in every run, and a call does not change them for the next
    round. So two states may be told apart that are equal, never the reverse.

    Args:
        apart: names of attributes that are left out, of any object.
    """
    buffer = io.BytesIO()
    pickler = _pickler()(buffer, protocol=5)
    pickler.apart = frozenset(apart)
    pickler.dump(item)
    return buffer.getvalue()


def _begun(generator: Any) -> str:
    """Where a generator stands. Of one under watch: at which seed, if nothing has been drawn since; what it drew is not its state."""
    if not hasattr(generator, "begun"):
        return bytes(generator.get_state().tolist()).hex()
    return "" if generator.begun is None else str(generator.begun[1])


@cache
def _pickler() -> Any:
    import torch
    from transformers import PreTrainedTokenizerBase

    themselves = FunctionType | MethodType | torch.nn.Module | PreTrainedTokenizerBase

    class Digest(pickle.Pickler):
        apart: frozenset[str]

        def persistent_id(self, obj: Any) -> int | None:
            if isinstance(obj, themselves):
                _KEPT[id(obj)] = obj
                return id(obj)
            return None

        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, torch.Tensor):
                return tuple, ([str(obj.dtype), *obj.shape, obj.detach().contiguous().numpy().tobytes()],)
            if isinstance(obj, torch.Generator):
                return tuple, (["generator", _begun(obj)],)
            held = getattr(obj, "__dict__", None)
            if isinstance(held, dict) and self.apart & held.keys():
                return dict, ([("", type(obj).__name__), *((name, value) for name, value in held.items() if name not in self.apart)],)
            return NotImplemented

    return Digest
