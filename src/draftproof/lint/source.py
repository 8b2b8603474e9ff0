"""A configuration file as text, or one sentence why it is none."""

import sys
from pathlib import Path

from draftproof.errors import BadRequest

LIMIT = 2**20
"""Bytes. The largest generation_config.json in the wild, with long lists of suppressed tokens, stays below a tenth of it."""


def read(file: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises:
        BadRequest: it cannot be read, is too large, or is not text.
    """
    name = "standard input" if file == "-" else file
    try:
        if file == "-":
            data = sys.stdin.buffer.read(LIMIT + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadRequest(
            f"cannot read {name}: {reason}; give the path of a configuration file, or an engine's arguments after --"
        ) from None
    return decode(data, name)


def decode(data: bytes, name: str) -> str:
    """The bytes as text.

    Raises:
        BadRequest: they are too many, or not text.
    """
    if len(data) > LIMIT:
        raise BadRequest(f"{name} is larger than {LIMIT:,} bytes, and no configuration is; give the configuration file of an engine")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise BadRequest(f"{name}, line {line}: there is a zero byte, so this is a binary file; give a configuration, not the model")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadRequest(f"{name}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
