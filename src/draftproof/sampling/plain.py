"""Collections of token ids, as plain tuples, or refused."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draftproof.errors import BadRequest
from draftproof.sampling.intervals import Interval

TOKEN = Interval(low=0, whole=True)


def tokens(name: str, found: Any) -> tuple[int, ...]:
    """The ids in their order.

    Raises:
        BadRequest: naming the parameter and what it holds instead of a token id.
    """
    if not isinstance(found, Iterable):
        raise BadRequest(f"{name} holds {found!r} where a sequence of token ids must stand")
    ids = tuple(found)
    for token in ids:
        if token not in TOKEN:
            raise BadRequest(f"{name} holds {token!r}; it must hold token ids of at least 0")
    return tuple(int(token) for token in ids)


def sequences(name: str, found: Any) -> tuple[tuple[int, ...], ...]:
    """Sequences of ids, none of them empty.

    Raises:
        BadRequest: as `tokens`, or naming the place of an empty sequence.
    """
    if not isinstance(found, Iterable):
        raise BadRequest(f"{name} is {found!r}; it must be a sequence of sequences of token ids")
    read = tuple(tokens(name, sequence) for sequence in found)
    if () in read:
        raise BadRequest(f"{name} holds an empty sequence at place {read.index(())}; remove it")
    return read


def pairs(name: str, found: Any) -> tuple[tuple[int, Any], ...]:
    """(id, value) with ascending ids, from a mapping or from pairs. JSON writes the ids as strings; they are read as numbers.

    Raises:
        BadRequest: as `tokens`, or naming an id that comes twice.
    """
    if not isinstance(found, Iterable):
        raise BadRequest(f"{name} is {found!r}; it must map token ids or places to values")
    items = list(found.items() if isinstance(found, Mapping) else found)
    if any(not isinstance(item, Sequence) or len(item) != 2 for item in items):
        raise BadRequest(f"{name} is {found!r}; it must hold pairs of a token id or place and a value")
    keys = tokens(name, [int(key) if isinstance(key, str) and key.isdecimal() else key for key, _ in items])
    if len(set(keys)) < len(keys):
        raise BadRequest(f"{name} names {max(keys, key=keys.count)} more than once")
    return tuple(sorted(zip(keys, (value for _, value in items), strict=True)))
