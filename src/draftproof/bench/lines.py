"""A run as JSON values, and back: every value is looked at, since a file may have been written by anyone."""

import sys
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from draftproof.bench.cell import ONE, SERVICE, TAIL, Cell
from draftproof.bench.contender import Round
from draftproof.bench.measure import Withdrawn
from draftproof.bench.run import Reply, Run

LARGEST = 1e9
"""Of seconds and of all else that is measured: thirty years are no measurement."""

HOTTEST = sys.float_info.max
"""A temperature may be any number."""

LARGEST_WHOLE = 2**53
"""From there on floats do not tell neighbours apart."""


def content_of(measured: Run | Withdrawn) -> dict[str, Any]:
    """The values of a line, under `run` or `withdrawn`."""
    if isinstance(measured, Run):
        return {"run": asdict(measured)}
    return {"withdrawn": {**asdict(measured), "cell": measured.cell._asdict()}}


def run_of(content: Any) -> Run:
    """The run of a line.

    Raises:
        KeyError, TypeError, ValueError: it is none; the message says why.
    """
    _only(content, {field.name for field in fields(Run)})
    cell = _cell({name: content[name] for name in Cell._fields})
    if not isinstance(content["drafts"], bool):
        raise TypeError(f"{_shown(content['drafts'])} where true or false should be")
    return Run(
        cell.table,
        cell.workload,
        cell.temperature,
        text(content["contender"]),
        text(content["engine"]),
        content["drafts"],
        whole(content["repeat"]),
        whole(content["turn"]),
        cell.slots,
        cell.rate,
        number(content["seconds"]),
        tuple((text(name), number(seconds)) for name, seconds in map(_two, _list(content["parts"]))),
        tuple(map(_reply, _list(content["replies"]))),
    )


def _reply(content: Any) -> Reply:
    _only(content, {field.name for field in fields(Reply)})
    times = tuple(map(number, _list(content["times"])))
    if list(times) != sorted(times):
        raise ValueError("times that do not rise")
    return Reply(
        whole(content["place"]),
        whole(content["seed"]),
        whole(content["prompt_tokens"]),
        whole(content["tokens"]),
        number(content["arrival"]),
        times,
        None if content["drafted"] is None else whole(content["drafted"]),
        None if content["accepted"] is None else whole(content["accepted"]),
        tuple(Round(whole(drafted), whole(accepted)) for drafted, accepted in map(_two, _list(content["rounds"]))),
        text(content["digest"]),
    )


def withdrawn_of(content: Any) -> Withdrawn:
    """The withdrawal of a line.

    Raises:
        KeyError, TypeError, ValueError: it is none; the message says why.
    """
    _only(content, {field.name for field in fields(Withdrawn)})
    return Withdrawn(_cell(content["cell"]), text(content["contender"]), text(content["reason"]))


def _cell(content: Any) -> Cell:
    _only(content, set(Cell._fields))
    if content["table"] not in (ONE, SERVICE, TAIL):
        raise ValueError(f"{_shown(content['table'])} where {ONE}, {SERVICE} or {TAIL} should be")
    return Cell(
        text(content["table"]),
        text(content["workload"]),
        number(content["temperature"], HOTTEST),
        whole(content["slots"]),
        number(content["rate"]),
    )


def number(value: Any, most: float = LARGEST) -> float:
    """A number from 0 to the most."""
    if type(value) not in (int, float) or not 0 <= value <= most:
        raise ValueError(f"{_shown(value)} where a number from 0 to {most:g} should be")
    return float(value)


def whole(value: Any) -> int:
    """A whole number from 0 to `LARGEST_WHOLE`."""
    if type(value) is not int or not 0 <= value <= LARGEST_WHOLE:
        raise ValueError(f"{_shown(value)} where a whole number from 0 to {LARGEST_WHOLE} should be")
    return value


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{_shown(value)} where text should be")
    return value


def texts(value: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of texts."""
    return tuple((text(first), text(second)) for first, second in map(_two, _list(value)))


def numbers(value: Any, count: int) -> tuple[float, ...]:
    """So many numbers."""
    if len(_list(value)) != count:
        raise ValueError(f"{_shown(value)} where {count} numbers should be")
    return tuple(map(number, value))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{_shown(value)} where a list should be")
    return value


def _two(value: Any) -> list[Any]:
    if len(_list(value)) != 2:
        raise ValueError(f"{_shown(value)} where a list of two should be")
    return value


def _only(content: Any, names: set[str]) -> None:
    if not isinstance(content, Mapping):
        raise TypeError(f"{_shown(content)} where an object should be")
    if unknown := sorted(content.keys() - names):
        raise ValueError(f"the field {unknown[0]!r:.40} is not known")


def _shown(value: Any) -> str:
    return f"{value!r:.40}"
