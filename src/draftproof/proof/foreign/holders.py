"""What a program holds from before it runs: generators, and draws by names of its own, as after `from random import random`.

A numpy generator is a compiled object and cannot be made to draw otherwise, nor can a compiled function; the variable
that holds it can be given another one while the program runs. Variables are looked for in the program's closure, globals
and objects, and in those of what it calls.
"""

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol, runtime_checkable

from draftproof.errors import BadRequest
from draftproof.proof.foreign.stage import Patch

MOST_OBJECTS = 5_000
"""Objects that are looked at. A program that holds more, such as a large model, keeps its generators near."""

LIBRARIES = {"numpy", "scipy", "torch", "random", "typing", "functools", "collections", "itertools", "jaxtyping", "beartype"}
"""What these call is theirs; their generators are known by name. The last two only stand between a caller and what it calls."""


PLAIN = {int, float, bool, str, bytes, type(None)}
"""What holds nothing, and is most of what is held."""


@runtime_checkable
class Exchange(Protocol):
    """What an object is replaced with."""

    what: str
    """What it replaces, in words."""

    must: bool
    """Whether what stays as it is would draw unseen."""

    def instead_of(self, value: object) -> object | None:
        """The replacement; None for what is none of its business."""
        ...


class Names:
    """Exchanges what a patched name of a module meant, wherever else it is held."""

    what = "a draw by a name of its own"

    def __init__(self, patches: Sequence[Patch], *, must: bool) -> None:
        self.must = must
        originals = ((vars(patch.owner).get(patch.name), patch.value) for patch in patches if isinstance(patch.owner, ModuleType))
        self._values = {id(original): (original, value) for original, value in originals if original is not None}

    def instead_of(self, value: object) -> object | None:
        original, new = self._values.get(id(value), (None, None))
        return new if original is value else None


def patches(programs: Iterable[Callable[..., object]], exchanges: Sequence[Exchange]) -> list[Patch]:
    """A replacement for every variable in reach of the programs that holds what is exchanged; one object has one replacement.

    Raises:
        BadRequest: it is held where no variable can be given another, such as in a tuple, and would draw unseen.
    """
    found: list[Patch] = []
    made: dict[int, tuple[Exchange | None, object]] = {}
    seen: set[int] = set()
    waiting: deque[Any] = deque(programs)
    while waiting and len(seen) < MOST_OBJECTS:
        item = waiting.popleft()
        if id(item) in seen:
            continue
        seen.add(id(item))
        for owner, name, value in _held_by(item):
            if type(value) in PLAIN:
                continue
            exchange, new = made.get(id(value)) or _exchanged(value, exchanges)
            if exchange is None:
                waiting.append(value)
            elif owner is not None:
                made[id(value)] = exchange, new
                found.append(Patch(owner, name, new))
            elif exchange.must:
                raise BadRequest(f"the program holds {exchange.what} in {type(item).__name__} {item!r:.80}; make it where the program runs")
    return found


def _exchanged(value: object, exchanges: Sequence[Exchange]) -> tuple[Exchange | None, object]:
    """The first exchange that knows a value, and the replacement."""
    for exchange in exchanges:
        new = exchange.instead_of(value)
        if new is not None:
            return exchange, new
    return None, None


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
        for kind in type(item).__mro__:
            if kind.__module__.partition(".")[0] not in LIBRARIES | {"builtins"}:
                yield from (
                    (None, "", value) if isinstance(value, FunctionType) else (kind, name, value)
                    for name, value in list(vars(kind).items())
                )


def _held_by_function(function: FunctionType) -> Iterator[tuple[Any, Any, Any]]:
    """Defaults, the closure, and what its names may mean: globals, and variables of the modules and classes among them."""
    yield from ((None, "", value) for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()))
    yield from ((cell, "cell_contents", cell.cell_contents) for cell in function.__closure__ or () if _is_filled(cell))
    if function.__globals__.get("__name__", "").partition(".")[0] in LIBRARIES:  # a wrapper names the module of what it wraps
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
