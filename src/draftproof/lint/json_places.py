"""JSON whose keys know where they stand.

The reader of the standard library says neither where a key stands nor that it was given twice. This one does, refuses what is
not JSON (NaN, Infinity) and what no engine reads (deep nesting), and leaves the escapes of strings to the library.
"""

import json
import math
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, NoReturn

from draftproof.errors import BadRequest
from draftproof.lint.finding import Place

DEEPEST = 64
"""Levels of nesting. The configurations of the engines have four."""

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
_LONGEST = 100
"""Digits of a number."""


@dataclass(frozen=True)
class Member:
    """A key of an object and its value."""

    key: str
    place: Place
    value: Any


@dataclass(frozen=True)
class JsonObject:
    """An object in the order of the text, repeated keys included."""

    members: tuple[Member, ...]

    def plain(self) -> dict[str, Any]:
        """The same as a dict; the last of several equal keys stands."""
        return {member.key: plain(member.value) for member in self.members}


def plain(value: Any) -> Any:
    """A value without places."""
    if isinstance(value, JsonObject):
        return value.plain()
    return [plain(item) for item in value] if isinstance(value, list) else value


def parse(text: str, name: str) -> Any:
    """The value of a JSON text; objects are `JsonObject`.

    Raises:
        BadRequest: the text is not JSON; the message names line and column.
    """
    return _Reader(text, name).whole()


class _Reader:
    """One text, read from the left."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.at = text, name, 0
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def whole(self) -> Any:
        value = self.value(0)
        self.space()
        if self.at < len(self.text):
            self.refuse("text follows after the end of the JSON value")
        return value

    def value(self, depth: int) -> Any:
        self.space()
        start = self.text[self.at : self.at + 1]
        if start in ("{", "[") and start and depth >= DEEPEST:
            self.refuse(f"objects and lists are nested more than {DEEPEST} deep")
        match start:
            case "{":
                return self.object(depth)
            case "[":
                return self.list(depth)
            case '"':
                return self.string()
            case _:
                return self.scalar()

    def object(self, depth: int) -> JsonObject:
        members: list[Member] = []
        self.at += 1
        while not self.ends("}", first=not members):
            self.space()
            if self.text[self.at : self.at + 1] != '"':
                self.refuse("a key in double quotes is expected")
            place = self.place()
            key = self.string()
            self.space()
            if self.text[self.at : self.at + 1] != ":":
                self.refuse(f"a colon is expected after the key {key[:40]!r}")
            self.at += 1
            members.append(Member(key, place, self.value(depth + 1)))
        return JsonObject(tuple(members))

    def list(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        while not self.ends("]", first=not items):
            items.append(self.value(depth + 1))
        return items

    def ends(self, bracket: str, *, first: bool) -> bool:
        """Step over the bracket, or over the comma before a further member."""
        self.space()
        here = self.text[self.at : self.at + 1]
        if here == bracket:
            self.at += 1
            return True
        if first:
            return False
        if here != ",":
            self.refuse(f"a comma or {bracket} is expected")
        self.at += 1
        self.space()
        if self.text[self.at : self.at + 1] == bracket:
            self.refuse(f"a comma stands before {bracket}; JSON has none there")
        return False

    def string(self) -> str:
        try:
            text, self.at = json.decoder.scanstring(self.text, self.at + 1)  # type: ignore[attr-defined]
        except json.JSONDecodeError as error:
            self.at = error.pos
            self.refuse(error.msg[0].lower() + error.msg[1:])
        return text

    def scalar(self) -> Any:
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        match = _NUMBER.match(self.text, self.at)
        if not match:
            self.refuse("a JSON value is expected; texts stand in double quotes, and there is no NaN, True or None")
        if len(match[0]) > _LONGEST:
            self.refuse(f"a number of more than {_LONGEST} digits")
        number = float(match[0]) if match[2] or match[3] else int(match[0])
        if isinstance(number, float) and not math.isfinite(number):
            self.refuse(f"the number {match[0]} is too large")
        self.at = match.end()
        return number

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def place(self) -> Place:
        line = bisect_right(self.line_starts, self.at)
        return Place(line, self.at - self.line_starts[line - 1] + 1)

    def refuse(self, what: str) -> NoReturn:
        place = self.place()
        raise BadRequest(f"{self.name}, line {place.line}, column {place.column}: {what}; mend the JSON there")
