"""States as bytes, so that equal states can be recognised and each run starts from a state of its own."""

import copyreg
import io
import pickle
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

Reducer = Callable[[Any], Any]
"""What `__reduce__` does, from outside."""


class Freezer:
    """Turns objects into bytes and back into equal objects.

    What cannot be written down (a function, a handle of another library) stands in the bytes by its identity, and so
    do the `shared` objects. Such a state is equal only to one with the very same object: states may be told apart
    that are equal, never the reverse.

    Args:
        reducers: makes what takes the objects of some types apart, by type, anew for each object that is frozen.
    """

    def __init__(self, shared: Iterable[Any] = (), reducers: Callable[[], Mapping[type, Reducer]] = dict) -> None:
        self._reducers = reducers
        self._by_identity = {id(item): item for item in shared}
        self._writable: dict[type, bool] = {}

    def freeze(self, item: Any) -> bytes:
        """The object as bytes."""
        buffer = io.BytesIO()
        pickler = pickle.Pickler(buffer, protocol=4)  # from 5 on, numpy hands out the memory of an array and writes nothing
        pickler.persistent_id = self._identity  # type: ignore[method-assign]
        reducers = self._reducers()
        self._writable |= dict.fromkeys(reducers, True)
        table: Any = {**copyreg.dispatch_table, **reducers}
        pickler.dispatch_table = table
        pickler.dump(item)
        return buffer.getvalue()

    def thaw(self, frozen: bytes) -> Any:
        """A new object equal to the one that was frozen."""
        unpickler = pickle.Unpickler(io.BytesIO(frozen))
        unpickler.persistent_load = self._by_identity.__getitem__  # type: ignore[method-assign]
        return unpickler.load()

    def _identity(self, item: Any) -> int | None:
        key = id(item)
        if key in self._by_identity:
            return key
        if self._is_writable(item):
            return None
        self._by_identity[key] = item
        return key

    def _is_writable(self, item: Any) -> bool:
        kind = type(item)
        if kind not in self._writable:
            self._writable[kind] = kind is not FunctionType and _reduces(item)
        return self._writable[kind]


def _reduces(item: Any) -> bool:
    try:
        item.__reduce_ex__(5)
    except TypeError:
        return isinstance(item, type)  # a class is written down by its name
    return True
