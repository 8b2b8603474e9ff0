"""The words of a command line, with their places: what a shell would hand to the program."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from draftproof.errors import BadRequest
from draftproof.lint.finding import Place

ENDS = frozenset("\n;|&")
"""What ends a command."""

MOST = 10_000
"""Words of a script that are read."""

_PIECE = re.compile(r"""\\\n|\\.?|['"#]|\s+|[;|&]+|[^\s'"#\\;|&]+""", re.DOTALL)
_QUOTED = {"'": re.compile(r"'([^']*)'"), '"': re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)}
_ESCAPED = re.compile(r"""\\([$`"\\\n])""")
"""A backslash between double quotes, before one of the characters to which it does something there."""


@dataclass(frozen=True)
class Word:
    """One word and where it begins."""

    text: str
    place: Place


Command = tuple[Word, ...]


def arguments(texts: Sequence[str]) -> Command:
    """Words that a shell has already separated."""
    return tuple(Word(text, Place(argument=number)) for number, text in enumerate(texts, start=1))


def commands(text: str, name: str) -> list[Command]:
    """Every command of a script: quotes, backslashes and comments are understood, variables are left as they stand.

    Raises:
        BadRequest: a quote is not closed; the message names its line.
    """
    found: list[list[Word]] = [[]]
    for number, word in enumerate(_words(text, name)):
        if number > MOST:
            raise BadRequest(f"{name} has more than {MOST:,} words, and no command that starts an engine has so many; give the right file")
        if word is None:
            found.append([])
        else:
            found[-1].append(word)
    return [tuple(words) for words in found if words]


def _words(text: str, name: str) -> Iterator[Word | None]:
    """Words, and None where a command ends."""
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
    parts: list[str] = []
    start = at = 0

    def place(offset: int) -> Place:
        line = bisect_right(line_starts, offset)
        return Place(line, offset - line_starts[line - 1] + 1)

    while at < len(text):
        match = _PIECE.match(text, at)
        assert match is not None
        piece, here, at = match[0], at, match.end()
        if piece == "\\\n":
            continue
        if piece == "#" and not parts:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if piece[0].isspace() or piece[0] in ENDS:
            if parts:
                yield Word("".join(parts), place(start))
                parts = []
            if not ENDS.isdisjoint(piece):
                yield None
            continue
        start = start if parts else here
        if piece in "'\"":
            quoted, at = _quoted(text, here, name, place)
            parts.append(quoted)
        else:
            parts.append(piece[1:] if piece[0] == "\\" else piece)
    if parts:
        yield Word("".join(parts), place(start))


def _quoted(text: str, at: int, name: str, place: Callable[[int], Place]) -> tuple[str, int]:
    """What stands between quotes, and the offset after them."""
    match = _QUOTED[text[at]].match(text, at)
    if match is None:
        raise BadRequest(f"{name}, {place(at)}: a {text[at]} is not closed; close it")
    plain = match[1] if text[at] == "'" else _ESCAPED.sub(lambda escape: escape[1].strip("\n"), match[1])
    return plain, match.end()
