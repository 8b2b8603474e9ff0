"""Generators that a program holds from before it runs: in its closure, globals and objects, and in those of what it calls.

A numpy generator is a compiled object and cannot be made to draw otherwise; the variable that holds it can be given
another one while the program runs.
"""

import functools
from collections import deque
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol, runtime_checkable

from draftproof.errors import BadRequest
from draftproof.proof.foreign.stage import Patch

MOST_OBJECTS = 5_000
"""Objects that are looked at. A program that holds more, such as a large model, keeps its generators near."""

LIBRARIES = {"numpy", "scipy", "torch", "random", "typing", "functools", "collections", "itertools"}
"""What these call is theirs; their generators are known by name."""


@runtime_checkable
class Exchange(Protocol):
    """What an object is replaced with."""

    def instead_of(self, generator: object) -> object | None: ...


def patches(program: Callable[..., object], exchange: Exchange) -> list[Patch]:
    """A replacement for every variable in reach of a program that holds a generator; one generator has one replacement.

    Raises:
        BadRequest: a generator is held where no variable can be given another, such as in a tuple.
    """
    found: list[Patch] = []
    made: dict[int, object] = {}
    seen: set[int] = set()
    waiting: deque[Any] = deque([program])
    while waiting and len(seen) < MOST_OBJECTS:
        item = waiting.popleft()
        if id(item) in seen:
            continue
        seen.add(id(item))
        for owner, name, value in _held_by(item):
            new = made.get(id(value)) or exchange.instead_of(value)
            if new is None:
                waiting.append(value)
            elif owner is None:
                raise BadRequest(
                    f"the program holds a numpy generator in {type(item).__name__} {item!r:.80}; make it where the program runs"
                )
            else:
                made[id(value)] = new
                found.append(Patch(owner, name, new))
    return found


def _held_by(item: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The variables of one object: who owns each, its name, its value. No owner if it cannot be given another value."""
    if isinstance(item, MethodType):
        yield from ((None, "", value) for value in (item.__self__, item.__func__))
    elif isinstance(item, functools.partial):
        yield from ((None, "", value) for value in (item.func, *item.args, *item.keywords.values()))
    elif isinstance(item, list | tuple):
        yield from ((None, "", value) for value in item)
    elif isinstance(item, dict):
        yield from ((item, name, value) for name, value in list(item.items()))
    elif isinstance(item, FunctionType):
        yield from _held_by_function(item)
    elif hasattr(item, "__dict__") and not isinstance(item, ModuleType | type):
        yield from ((vars(item), name, value) for name, value in list(vars(item).items()))
        yield from ((None, "", value) for kind in type(item).__mro__ for value in vars(kind).values() if isinstance(value, FunctionType))


def _held_by_function(function: FunctionType) -> Iterator[tuple[Any, Any, Any]]:
    """Defaults, the closure, and what its names may mean: globals, and variables of the modules and classes among them."""
    yield from ((None, "", value) for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()))
    yield from ((cell, "cell_contents", cell.cell_contents) for cell in function.__closure__ or () if _is_filled(cell))
    if (function.__module__ or "").partition(".")[0] in LIBRARIES:
        return
    names = _names(function.__code__) | {"__init__", "__call__"}
    known = [function.__globals__[name] for name in names if name in function.__globals__]
    yield from ((function.__globals__, name, function.__globals__[name]) for name in names if name in function.__globals__)
    for space in known:
        if isinstance(space, ModuleType | type) and space.__name__.partition(".")[0] not in LIBRARIES:
            yield from ((space, name, vars(space)[name]) for name in names if name in vars(space))


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # a name that is assigned later
        return False


def _names(code: CodeType) -> set[str]:
    """Every global name that a function, or one defined within it, may read."""
    return set(code.co_names).union(*(_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)))
