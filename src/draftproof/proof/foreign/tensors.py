"""torch under watch: what happens to a tensor that holds random numbers.

Every operation passes a dispatch mode, below all of torch's own wrappers. A draw is one of `tensor_draws`. An operation
on plain tensors runs as it is. One that reads a random number has a rule: arithmetic entry by entry, a comparison that
decides, a movement of entries that is repeated on their tags, or a race; without a rule it raises `Untracked`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from draftproof.proof.foreign import tensor_draws
from draftproof.proof.foreign.shadow import NONE, Shadow
from draftproof.proof.foreign.stage import Current
from draftproof.proof.foreign.symbol import Symbol
from draftproof.proof.foreign.tensor_entries import ARITHMETIC, COMPARISON
from draftproof.proof.foreign.tensor_rows import ROWS, ranked_rows, searched
from draftproof.shapes import Array

MOVEMENT = {
    "clone", "cat", "stack", "index", "index_select", "gather", "take", "where", "masked_fill", "masked_select", "masked_scatter", "repeat",
    "flip", "roll", "constant_pad_nd", "copy", "index_put", "index_copy", "index_fill", "scatter", "select_scatter", "slice_scatter",
    "fill", "contiguous", "_unsafe_index",
}  # fmt: skip
WITHOUT_VALUES = {
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "new_empty",
    "new_zeros",
    "new_ones",
    "new_full",
    "is_same_size",
    "_unsafe_view",
}
WHERE = {"indices", "index", "mask", "condition"}
"""Arguments of a movement that say where to, and are not moved themselves."""

NO_TAGS = {"dtype", "memory_format", "non_blocking"}
READS: dict[str, Callable[[Shadow, Array], Any]] = {
    "item": lambda shadow, tensor: shadow.entries(tensor)[0],
    "tolist": lambda shadow, tensor: shadow.listed(tensor),
    "__int__": lambda shadow, tensor: int(shadow.entries(tensor)[0]),
    "__deepcopy__": lambda shadow, tensor: tensor.clone(),
}
LEAKS = {
    "numpy", "__array__", "__float__", "__bool__", "__index__", "__complex__", "__repr__", "__format__", "storage", "untyped_storage",
    "data_ptr", "__dlpack__", "apply_", "map_", "map2_",
}  # fmt: skip
MADE_OF = {"tensor": 0, "as_tensor": 0, "asarray": 0, "new_tensor": 1, "__setitem__": 2}
"""Functions that make numbers, lists and arrays into tensors, and which argument those are; torch reads them unseen."""


@contextmanager
def watched(current: Current) -> Iterator[Shadow]:
    """torch as the program sees it. Yields the tags of the run."""
    shadow = Shadow(current.run)
    reads, operations = modes()
    with reads(Reads(shadow)), operations(Operations(current, shadow)):
        yield shadow


@cache
def modes() -> tuple[Any, Any]:
    """torch's modes of functions and of operations, as classes that call what they are made with.

    Each is entered once, with what torch imports late: modules that draw random numbers of their own.
    """
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class FunctionMode(TorchFunctionMode):  # type: ignore[misc]  # torch is not read by the checker
        def __init__(self, handle: Callable[..., Any]) -> None:
            super().__init__()
            self._handle = handle

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return self._handle(func, args, kwargs or {})

    class OperationMode(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self, handle: Callable[..., Any]) -> None:
            super().__init__()
            self._handle = handle

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # torch would wrap each call of what follows, for programs that are compiled; those bypass this mode

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            with torch._C.DisableTorchFunction():  # what is read below is ours, not the program's
                return self._handle(func, args, kwargs or {})

    with FunctionMode(_perform), OperationMode(_perform):
        torch.zeros(1).add(1)
        torch.broadcast_shapes((1,), (1,))
    return FunctionMode, OperationMode


def _perform(func: Any, args: Any, kwargs: Any) -> Any:
    return func(*args, **kwargs)


class Reads:
    """What Python reads of a tensor: symbols, if its entries are random."""

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow

    def __call__(self, func: Any, args: Any, kwargs: Any) -> Any:
        name = getattr(func, "__name__", "")
        place = MADE_OF.get(name)
        if place is not None and len(args) > place and self._shadow.is_random(args[place]):
            return self._made(func, name, args, kwargs, self._shadow.made_of(args[place]))
        if (name not in READS and name not in LEAKS) or not args or not self._shadow.is_live(args[0]):
            return func(*args, **kwargs)
        if name in LEAKS:
            self._shadow.run.refuse(f"torch.Tensor.{name} of random numbers has no exact rule")
        return READS[name](self._shadow, args[0])

    def _made(self, func: Any, name: str, args: Any, kwargs: Any, made: Array) -> Any:
        """What a function makes of random numbers that are a tensor already."""
        if name == "__setitem__":
            return func(args[0], args[1], made)
        given = {key: value for key, value in kwargs.items() if value is not None}
        if given.keys() - {"dtype", "device"} or given.get("requires_grad"):
            self._shadow.run.refuse(f"torch.{name} of random numbers with {', '.join(given)} has no exact rule")
        return made.to(**({"dtype": args[0].dtype} if name == "new_tensor" else {}) | given)


class Operations:
    """What every operation of torch does."""

    def __init__(self, current: Current, shadow: Shadow) -> None:
        self._current, self._shadow = current, shadow

    def __call__(self, func: Any, args: Any, kwargs: Any) -> Any:
        kind = _kind(func)
        if kind.may_draw and _draws(func, args, kwargs):
            return tensor_draws.drawn(self._current, self._shadow, func, args, kwargs)
        if kind.compares:
            for tensor in _tensors(args):
                self._shadow.check_fresh(tensor)
        if not self._shadow.is_empty and (self._reads(args) or self._reads(kwargs.values())):
            return self._random(func, args, kwargs)
        result = func(*args, **kwargs)
        if kind.writes:
            for target in _written(func, args, kwargs):
                self._shadow.clear(target)
        return result

    def _reads(self, values: Iterable[Any]) -> bool:
        """Whether a random number is among some arguments."""
        return any(self._reads(value) if isinstance(value, list | tuple) else self._shadow.is_live(value) for value in values)

    def _random(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation that reads a random number."""
        import torch

        name = func.overloadpacket.__name__
        base = name.rstrip("_")
        if name in WITHOUT_VALUES or (_is_view(func) and not any(isinstance(arg, torch.dtype) for arg in args)):
            return func(*args, **kwargs)
        if name == "zero_":
            self._shadow.clear(args[0])
            return func(*args, **kwargs)
        if base in ARITHMETIC or base in COMPARISON:
            return self._entrywise(ARITHMETIC.get(base) or COMPARISON[base], func, args, kwargs)
        if name == "_to_copy":
            return self._cast(func, args, kwargs)
        if base in MOVEMENT:
            return self._move(func, args, kwargs)
        if name in ("max", "min") and len(args) > 1 and isinstance(args[1], torch.Tensor):
            return self._entrywise(ARITHMETIC["maximum" if name == "max" else "minimum"], func, args, kwargs)
        if name in ROWS:
            return ranked_rows(self._shadow, name, args, kwargs)
        if name in ("searchsorted", "bucketize"):
            return searched(self._shadow, *(args if name == "searchsorted" else args[::-1]), **kwargs)
        return self._shadow.run.refuse(f"torch.{name} of random numbers has no exact rule")

    def _entrywise(self, rule: Callable[..., Any], func: Any, args: Any, kwargs: Any) -> Any:
        """torch computes the plain entries, and the rule the others."""
        import torch

        extra = {key: value for key, value in kwargs.items() if key == "alpha"}
        if "min" in kwargs or "max" in kwargs:
            args = (args[0], kwargs.get("min", args[1] if len(args) > 1 else None), kwargs.get("max"))
            kwargs = {key: value for key, value in kwargs.items() if key == "out"}
        if kwargs.keys() - {"alpha", "out"}:
            self._shadow.run.refuse(f"torch.{func.overloadpacket.__name__} of random numbers with {', '.join(kwargs)} has no exact rule")
        kind = torch.result_type(*args[:2]) if len(args) > 1 and args[1] is not None else args[0].dtype
        operands = [arg if isinstance(arg, torch.Tensor) or arg is None else torch.tensor(arg, dtype=kind) for arg in args]
        shape = torch.broadcast_shapes(*(operand.shape for operand in operands if operand is not None))
        columns = [[None] * shape.numel() if operand is None else self._spread(operand, shape) for operand in operands]
        result = func(*args, **kwargs)
        entries = result.reshape(-1).tolist()
        for place, inputs in enumerate(zip(*columns, strict=True)):
            if any(isinstance(entry, Symbol) for entry in inputs):
                entries[place] = rule(*inputs, **extra)
        self._shadow.clear(result)
        self._shadow.put_entries(result, entries)
        return result

    def _spread(self, tensor: Array, shape: Any) -> list[Any]:
        """The entries of a tensor as broadcasting repeats them."""
        import torch

        entries = self._shadow.entries(tensor)
        places = torch.arange(tensor.numel()).reshape(tensor.shape).expand(shape).reshape(-1).tolist()
        return [entries[place] for place in places]

    def _cast(self, func: Any, args: Any, kwargs: Any) -> Any:
        import torch

        result = func(*args, **kwargs)
        entries = self._shadow.entries(args[0])
        if result.dtype == torch.bool or result.device.type != "cpu":
            self._shadow.run.refuse(f"a cast of random numbers to {result.dtype} on {result.device}")
        if not result.is_floating_point():
            entries = [int(entry) for entry in entries]
        self._shadow.put_entries(result, entries)
        return result

    def _move(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The operation once on the numbers and once on their tags."""
        import torch

        name, given = func.overloadpacket.__name__, _given(func, args, kwargs)
        targets = _written(func, args, kwargs)
        if given.get("accumulate") or "reduce" in given or given.get("out") is not None or not all(map(torch.is_floating_point, targets)):
            self._shadow.run.refuse(f"torch.{name} of random numbers that adds, reduces, or writes into whole numbers or `out`")
        if any(argument.name == "value" for argument in func._schema.arguments):
            given.setdefault("value", NONE)
        tags = func(**{key: self._as_tags(key, value) for key, value in given.items() if key not in NO_TAGS})
        result = func(*args, **kwargs)
        if not isinstance(result, torch.Tensor):
            self._shadow.run.refuse(f"torch.{name} of random numbers with several results")
        self._shadow.put_tags(result, tags)
        return result

    def _as_tags(self, name: str, value: Any) -> Any:
        if name in WHERE:
            return value
        if name in ("value", "self", "other") and isinstance(value, int | float):
            return NONE
        return _replaced(value, self._shadow.tags_or_none)


def _tensors(value: Any) -> Iterator[Array]:
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _tensors(part)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _replaced(value: Any, change: Callable[[Array], Array]) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        return change(value)
    return [_replaced(part, change) for part in value] if isinstance(value, list | tuple) else value


def _written(func: Any, args: Any, kwargs: Any) -> list[Array]:
    """The tensors that an operation writes into."""
    given = _given(func, args, kwargs)
    return list(_tensors([given.get(name) for name in _kind(func).writes]))


class Kind(NamedTuple):
    """What an operation can do: draw random numbers, compare, and write into arguments of these names."""

    may_draw: bool
    compares: bool
    writes: tuple[str, ...]


@cache
def _kind(func: Any) -> Kind:
    import torch

    name = func.overloadpacket.__name__
    may_draw = torch.Tag.nondeterministic_seeded in func.tags or name in tensor_draws.RULES
    compares = name.rstrip("_") in COMPARISON or name in ROWS or name == "_local_scalar_dense"
    return Kind(may_draw, compares, tuple(each.name for each in func._schema.arguments if each.alias_info and each.alias_info.is_write))


def _draws(func: Any, args: Any, kwargs: Any) -> bool:
    """Whether an operation that may draw does. Attention without dropout does not, although torch marks it so."""
    defaults = {argument.name: argument.default_value for argument in func._schema.arguments}
    return (defaults | _given(func, args, kwargs)).get("dropout_p") != 0


def _given(func: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of an operation by name."""
    return dict(zip((argument.name for argument in func._schema.arguments), args, strict=False)) | kwargs


def _is_view(func: Any) -> bool:
    """Whether an operation returns the same storage and writes nothing."""
    aliases = [argument.alias_info for argument in func._schema.arguments if argument.alias_info]
    return bool(aliases) and not any(alias.is_write for alias in aliases)
