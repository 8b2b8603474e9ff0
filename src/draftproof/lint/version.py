"""Versions of engines: `0.28.0`, `v5.24.0.dev0`, and the build numbers of llama.cpp, `b9596`."""

import re

from draftproof.errors import BadRequest

Version = tuple[int, int, int, int]

_VERSION = re.compile(r"[vb]?(\d{1,9}(?:\.\d{1,9}){0,3})(?:[.+-]?[A-Za-z][\w.+-]{0,40})?")


def parse(text: str) -> Version:
    """The four numbers of a version; those that it lacks are 0. What follows the numbers, such as `rc1`, is not looked at.

    Raises:
        BadRequest: the text is not a version.
    """
    match = _VERSION.fullmatch(text.strip())
    if not match:
        raise BadRequest(f"{text[:60]!r} is not a version; give one such as 0.28, 5.24.0 or b9596")
    first, second, third, fourth = [*map(int, match[1].split(".")), 0, 0, 0][:4]
    return first, second, third, fourth
