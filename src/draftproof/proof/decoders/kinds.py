"""The kinds of array in which a stranger's function takes laws and tokens."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from draftproof.errors import BadRequest, Unavailable


class Kind(NamedTuple):
    """One kind of array.

    Attributes:
        name: of `KINDS`.
        bits: of the significand; None for fractions.
        numbers: (nested lists of fractions, shape) -> an array; a new one each time, since it may be written into.
        log: of such an array, -inf where it is 0.
        tokens: (nested lists of integers, shape) -> an array.
    """

    name: str
    bits: int | None
    numbers: Callable[[Any, tuple[int, ...]], Any]
    log: Callable[[Any], Any]
    tokens: Callable[[Any, tuple[int, ...]], Any]


def kind_of(name: str) -> Kind:
    """The kind of that name, one of `KINDS`.

    Raises:
        BadRequest: there is no such kind.
        Unavailable: it needs torch, and there is none.
    """
    if name not in KINDS:
        raise BadRequest(f"there are no arrays called {name!r}; there are {', '.join(KINDS)}")
    return KINDS[name](name)


def _torch(name: str) -> Kind:
    try:
        import torch
    except ModuleNotFoundError:
        raise Unavailable("torch is not installed, so there are no torch arrays; install it, or choose the arrays numpy") from None
    dtype, bits = (torch.float32, 24) if name == "torch32" else (torch.float64, 53)
    return Kind(
        name,
        bits,
        lambda rows, shape: torch.tensor(_nested(float, rows), dtype=dtype).reshape(shape),
        torch.log,
        lambda tokens, shape: torch.tensor(tokens, dtype=torch.int64).reshape(shape),
    )


def _numpy(name: str) -> Kind:
    return Kind(
        name,
        53,
        lambda rows, shape: np.array(_nested(float, rows), np.float64).reshape(shape),
        _log_of_array,
        lambda tokens, shape: np.array(tokens, np.int64).reshape(shape),
    )


def _floats(name: str) -> Kind:
    return Kind(name, 53, lambda rows, shape: _nested(float, rows), _log_of_lists, lambda tokens, shape: _nested(int, tokens))


def _fractions(name: str) -> Kind:
    return Kind(name, None, lambda rows, shape: _nested(Fraction, rows), _no_log, lambda tokens, shape: _nested(int, tokens))


KINDS: dict[str, Callable[[str], Kind]] = {
    "torch32": _torch,
    "torch64": _torch,
    "numpy": _numpy,
    "floats": _floats,
    "fractions": _fractions,
}
"""torch tensors of float32 or float64, numpy arrays of float64, lists of floats, and lists of `fractions.Fraction`."""


def _nested(number: Callable[[Any], Any], rows: Any) -> Any:
    """Nested sequences as nested new lists of numbers of one type."""
    return [_nested(number, row) for row in rows] if isinstance(rows, Sequence) else number(rows)


def _log_of_array(array: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(array)


def _log_of_lists(rows: Any) -> Any:
    if isinstance(rows, list):
        return [_log_of_lists(row) for row in rows]
    return math.log(rows) if rows else -math.inf


def _no_log(rows: Any) -> Any:
    raise BadRequest(
        "the logarithm of a fraction is no fraction; for a function of logits choose the arrays torch32, torch64, numpy or floats"
    )
