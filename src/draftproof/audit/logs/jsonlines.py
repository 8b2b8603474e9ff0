"""One JSON object a line, from a file of which nothing is assumed.

A line is read up to a limit, so a file of any size and any kind takes the memory of one line as Python objects: ten times its length for
numbers, thirty times at worst, for a line of nothing but small objects.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from draftproof.errors import BadRequest

LONGEST_LINE = 16 * 2**20
"""Bytes: a million tokens with two log-probabilities each fit, up to 16 bytes a token."""

BINARY = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip", b"PAR1": "Parquet"}
"""How files begin that are given by mistake -> what they are."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number of each line, from 1, and the object in it; blank lines are passed over.

    NaN and the infinities are read as the floats of these names, so that whoever knows the field can refuse them by its name.

    Raises:
        BadRequest: the file cannot be read, or the line that is named is no JSON object, or longer than `LONGEST_LINE`.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if line.strip():
                    yield number, _object(line, first=number == 1, where=f"line {number} of {path}")
    except OSError as error:
        raise BadRequest(f"{path} cannot be read ({error.strerror}); give a file with one JSON object a line") from error


def _object(line: bytes, *, first: bool, where: str) -> dict[str, Any]:
    kind = next((kind for start, kind in BINARY.items() if line.startswith(start)), None)
    if first and kind:
        raise BadRequest(f"{where}: it begins a {kind} file; unpack it to text with one JSON object a line")
    if len(line) > LONGEST_LINE:
        raise BadRequest(f"{where}: it is longer than {LONGEST_LINE >> 20} MiB; write one short JSON object a line")
    try:
        text = line.removeprefix(BYTE_ORDER_MARK if first else b"").decode()
        content = json.loads(text, object_pairs_hook=_distinct)
    except RecursionError:
        raise BadRequest(f"{where}: its lists and objects are nested too deeply; no field of a record needs that") from None
    except _Twice as error:
        raise BadRequest(f"{where}: the key {error} comes twice in one object; keep one of the two") from None
    except ValueError as error:
        raise BadRequest(f"{where}: it is no JSON ({_reason(error)}); {_advice(line)}") from None
    if not isinstance(content, dict):
        raise BadRequest(f"{where}: it holds {_kind(content)}; write one JSON object a line, with no list around them")
    return content


class _Twice(ValueError):
    """An object names one key twice, of which JSON would silently keep the last."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise _Twice(repr(key if len(key) <= 60 else key[:60] + "..."))
        content[key] = value
    return content


def _reason(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.object[error.start]:#04x} at place {error.start + 1} is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return "a number has too many digits"


def _advice(line: bytes) -> str:
    if line.endswith(b"\n"):
        return "write one whole JSON object a line, as UTF-8"
    return "the file ends here without a line break and may have been cut off: remove this line, or write the file again"


def _kind(content: object) -> str:
    names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(content), "a number")
