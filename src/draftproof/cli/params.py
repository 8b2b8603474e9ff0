"""Sampling parameters and rows of logits as they are typed."""

import json
from typing import Any

from draftproof.errors import BadRequest
from draftproof.report.text import printable


def read_params(text: str, option: str = "--params") -> dict[str, Any]:
    """`temperature=0.7 top_p=0.9` or a JSON object, as names and values.

    Raises:
        BadRequest: a part that is not name=value, or a value that is neither a number nor JSON nor a plain word.
    """
    if text.strip().startswith("{"):
        try:
            return dict(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"{option}: the JSON object cannot be read: {error}") from None
    found: dict[str, Any] = {}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise BadRequest(f"{option}: {printable(part)!r} is not name=value; separate several with spaces, or give a JSON object")
        if name in found:
            raise BadRequest(f"{option}: {printable(name)} is given twice")
        found[name] = _value(name, value, option)
    return found


def _value(name: str, text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        if text.isidentifier():
            return text
        raise BadRequest(f"{option}: the value of {printable(name)} is {printable(text)!r}; write a number, a word or JSON") from None


def read_numbers(text: str, place: str) -> list[float]:
    """`2,1.5,-inf` as numbers, one a token.

    Raises:
        BadRequest: an entry that is not a number.
    """
    return [read_number(entry, f"{place}, token {token}") for token, entry in enumerate(text.split(","))]


def read_number(entry: str, place: str, *, such_as: str = "1.5 or -inf") -> float:
    """One entry as a number.

    Args:
        such_as: what would be understood there, for the message.

    Raises:
        BadRequest: it is not a number.
    """
    try:
        return float(entry)
    except ValueError:
        raise BadRequest(f"{place} is {printable(entry.strip())!r}; write a number such as {such_as}") from None


def read_ids(text: str | None, place: str) -> list[int]:
    """`0,4,2` as token ids; nothing for None.

    Raises:
        BadRequest: an entry that is not a whole number of at least 0.
    """
    if text is None:
        return []
    for entry in text.split(","):
        if not entry.strip().isdecimal():
            raise BadRequest(f"{place} holds {printable(entry)!r}; write token ids such as 0,4,2")
    return [int(entry) for entry in text.split(",")]
