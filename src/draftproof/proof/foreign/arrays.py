"""numpy arrays of random numbers: arrays of objects whose entries are symbols.

The entry is its own tag, so views, copies, indexing and writes into such an array need no rule. Arithmetic and
comparison are numpy's own loops over objects; the largest of a row is a race. What would turn an entry into a plain
float raises `Untracked`: a write into an array of floats, a reduction, any function without a rule below.
"""

from collections.abc import Callable
from math import ceil, floor
from typing import Any

import numpy as np

from draftproof.proof.foreign.order import at_least, at_most, best, places_below, ranking, within
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.symbol import Symbol

ARITHMETIC = {"add", "subtract", "multiply", "divide", "negative", "absolute", "power"}
COMPARISON = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}
MOVEMENT = {
    "atleast_1d", "atleast_2d", "broadcast_arrays", "broadcast_to", "concatenate", "copy", "copyto", "diagonal", "expand_dims", "flip",
    "hstack", "moveaxis", "ravel", "repeat", "reshape", "roll", "shape", "ndim", "size", "split", "squeeze", "stack", "swapaxes", "take",
    "take_along_axis", "tile", "transpose", "vstack", "where", "delete", "append", "put_along_axis",
}  # fmt: skip
LIKE = {"empty_like": 0.0, "zeros_like": 0.0, "ones_like": 1.0}


class Tracked(np.ndarray):
    """An array of dtype object that holds symbols, and perhaps plain numbers among them."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        name = ufunc.__name__
        run = _run_of(inputs)
        if run is None:
            result = getattr(ufunc, method)(*map(_settled, inputs), **kwargs)
            return _written(result, out)
        if method == "reduce" and name in ("maximum", "minimum"):
            return _extreme(inputs[0], kwargs.get("axis"), largest=name == "maximum", keepdims=kwargs.get("keepdims", False))[1]
        known = method == "__call__" and name in ARITHMETIC | COMPARISON | SPECIAL.keys()
        if not known or kwargs.get("where", True) is not True:
            run.refuse(f"numpy.{name}{'' if method == '__call__' else '.' + method} of random numbers has no exact rule")
        if out is not None and any(not isinstance(target, Tracked) for target in out):
            run.refuse(f"numpy.{name} writes random numbers into an array of {out[0].dtype}, which cannot hold them; make a new array")
        operands = [np.asarray(_plain(operand), dtype=object) for operand in inputs]
        if name in COMPARISON:
            return _written(ufunc(*operands), out)
        rule = SPECIAL.get(name)
        result = _entrywise(rule, operands) if rule else ufunc(*operands)
        if name.startswith("is"):
            return np.asarray(result, dtype=bool)
        return _written(_tracked(result), out)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name = func.__name__
        if name in LIKE:
            return np.full(args[0].shape, LIKE[name], dtype=object).view(Tracked)  # may be written into
        if name in ROW_RULES:
            return ROW_RULES[name](*args, **kwargs)
        if name in MOVEMENT:
            if name in ("copyto", "put_along_axis") and not isinstance(args[0], Tracked) and (run := _run_of(args)):
                run.refuse(f"numpy.{name} writes random numbers into an array of {args[0].dtype}, which cannot hold them")
            moved = func(*_plain_all(args), **{key: _plain_all(value) for key, value in kwargs.items()})
            return [_tracked(part) for part in moved] if isinstance(moved, list | tuple) and name != "shape" else _tracked(moved)
        run = _run_of(args)
        if run is not None:
            run.refuse(f"numpy.{name} of random numbers has no exact rule")
        return func(*map(_settled, args), **kwargs)

    def argmax(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        return _extreme(self, axis, largest=True, keepdims=keepdims)[0]

    def argmin(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        return _extreme(self, axis, largest=False, keepdims=keepdims)[0]

    def argsort(self, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
        return _argsort(self, axis)

    def astype(self, dtype: Any, *_: object, **__: object) -> Any:
        """Floats of any width stay as they are; whole numbers are rounded towards 0, an event each."""
        kind = np.dtype(dtype).kind
        if kind in "fO":
            return self.copy()
        if kind in "iu":
            return np.array([int(value) for value in self.flat], dtype).reshape(self.shape)
        run = _run_of([self])
        return run.refuse(f"a cast of random numbers to {np.dtype(dtype)}") if run else _plain(self).astype(dtype)

    def tobytes(self, order: Any = "C") -> bytes:
        run = _run_of([self])
        return run.refuse("the bytes of random numbers") if run else super().tobytes(order)


def fresh(entry: Any, shape: int | tuple[int, ...] | None) -> Any:
    """Entries made one by one by `entry()`, as numpy shapes a draw: one number if the shape is None."""
    if shape is None:
        return entry()
    array = np.empty(shape, dtype=object)
    for place in np.ndindex(array.shape):
        array[place] = entry()
    return array.view(Tracked)


def _extreme(array: Any, axis: int | None, *, largest: bool, keepdims: bool = False) -> tuple[Any, Any]:
    """(places, values) of the largest or smallest along an axis."""
    plain = np.asarray(_plain(array), dtype=object)
    rows = plain.reshape(1, -1) if axis is None else np.moveaxis(plain, axis, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    places = np.array([best(list(row), largest=largest) for row in flat], np.intp)
    values = flat[np.arange(len(flat)), places]
    shape = () if axis is None else rows.shape[:-1]
    places, values = places.reshape(shape), values.reshape(shape)
    if keepdims:
        full = (1,) * plain.ndim if axis is None else tuple(1 if n == axis % plain.ndim else size for n, size in enumerate(plain.shape))
        places, values = places.reshape(full), values.reshape(full)
    return places[()], _tracked(values[()])


def _argmax(array: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False) -> Any:
    return _extreme(array, axis, largest=True, keepdims=keepdims)[0]


def _argmin(array: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False) -> Any:
    return _extreme(array, axis, largest=False, keepdims=keepdims)[0]


def _largest(array: Any, axis: int | None = None, out: None = None, keepdims: bool = False) -> Any:
    return _extreme(array, axis, largest=True, keepdims=keepdims)[1]


def _smallest(array: Any, axis: int | None = None, out: None = None, keepdims: bool = False) -> Any:
    return _extreme(array, axis, largest=False, keepdims=keepdims)[1]


def _argsort(array: Any, axis: int = -1, *_: object, **__: object) -> Any:
    rows = np.moveaxis(np.asarray(_plain(array)), axis, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    orders = np.array([ranking(list(row), largest=False, count=len(row)) for row in flat], np.intp)
    return np.moveaxis(orders.reshape(rows.shape), -1, axis)


def _searchsorted(row: Any, values: Any, side: str = "left", sorter: None = None) -> Any:
    entries = list(np.asarray(_plain(row)))
    wanted = np.asarray(_plain(values), dtype=object)
    places = [places_below(entries, value, right=side == "right") for value in wanted.flat]
    return np.array(places, np.intp).reshape(wanted.shape)[()]


def _clip_array(array: Any, a_min: Any = None, a_max: Any = None, **_: Any) -> Any:
    return _tracked(_entrywise(lambda value: within(value, a_min, a_max), [np.asarray(_plain(array), dtype=object)]))


def _entrywise(rule: Callable[..., Any], operands: list[np.ndarray]) -> Any:
    return np.frompyfunc(rule, len(operands), 1)(*operands)


def _of_one(rule: Callable[[Any], Any], plain: Callable[[float], Any]) -> Callable[[Any], Any]:
    """A function of one entry: ours of a symbol, numpy's of a plain number."""
    return lambda value: rule(value) if isinstance(value, Symbol) else plain(float(value))


SPECIAL: dict[str, Callable[..., Any]] = {
    "maximum": at_least, "minimum": at_most, "clip": within,
    "log": _of_one(Symbol.log, np.log), "log1p": _of_one(Symbol.log1p, np.log1p), "log2": _of_one(Symbol.log2, np.log2),
    "log10": _of_one(Symbol.log10, np.log10), "exp": _of_one(Symbol.exp, np.exp),
    "floor": _of_one(lambda x: float(floor(x)), np.floor), "ceil": _of_one(lambda x: float(ceil(x)), np.ceil),
    "rint": _of_one(lambda x: float(round(x)), np.rint), "trunc": _of_one(lambda x: float(int(x)), np.trunc),
    "isnan": _of_one(lambda x: False, np.isnan), "isinf": _of_one(lambda x: False, np.isinf),
    "isfinite": _of_one(lambda x: True, np.isfinite),
}  # fmt: skip

ROW_RULES: dict[str, Any] = {
    "argmax": _argmax, "argmin": _argmin, "argsort": _argsort, "searchsorted": _searchsorted, "clip": _clip_array,
    "max": _largest, "amax": _largest, "min": _smallest, "amin": _smallest,
}  # fmt: skip


def _run_of(values: Any) -> Run | None:
    """The run of the first symbol in some arrays; None if there is none."""
    for value in values:
        if isinstance(value, Symbol):
            return value.run
        if isinstance(value, np.ndarray) and value.dtype == object:
            found = next((entry.run for entry in _plain(value).flat if isinstance(entry, Symbol)), None)
            if found:
                return found
        if isinstance(value, list | tuple) and (inner := _run_of(value)):
            return inner
    return None


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Tracked) else value


def _settled(value: Any) -> Any:
    """An array in which no symbol is left, as floats."""
    return _plain(value).astype(np.float64) if isinstance(value, Tracked) else value


def _plain_all(value: Any) -> Any:
    return type(value)(map(_plain_all, value)) if isinstance(value, list | tuple) else _plain(value)


def _tracked(value: Any) -> Any:
    """An array of objects as a tracked one; a single entry as it is."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.view(Tracked) if value.ndim else value[()]
    return value


def _written(result: Any, out: Any) -> Any:
    if out is None:
        return result
    _plain(out[0])[...] = _plain(result)
    return out[0]
