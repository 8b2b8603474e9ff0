"""What the user handed over: the text of a file, the words of a command, or both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from draftproof.errors import BadRequest
from draftproof.lint import json_places
from draftproof.lint.words import Command, arguments, commands


@dataclass(frozen=True)
class Given:
    """A configuration before an engine's reader has seen it.

    Attributes:
        name: of the file, for messages; empty if there is none.
        text: of the file.
        argv: the words after `--`.
    """

    name: str = ""
    text: str = ""
    argv: Sequence[str] = ()

    @property
    def is_json(self) -> bool:
        """True if the file begins as a JSON object or list does, or is called so."""
        return self.text.lstrip()[:1] in ("{", "[") or self.name.endswith(".json")

    @cached_property
    def json(self) -> json_places.JsonObject:
        """The object that the file holds.

        Raises:
            BadRequest: it holds none.
        """
        value: Any = json_places.parse(self.text, self.name)
        if not isinstance(value, json_places.JsonObject):
            raise BadRequest(f"{self.name}, line 1, column 1: the JSON is no object; a configuration is one, in braces")
        return value

    @cached_property
    def commands(self) -> list[Command]:
        """The commands of the file, and last the words after `--`."""
        found = commands(self.text, self.name) if self.text and not self.is_json else []
        return [*found, arguments(self.argv)] if self.argv else found

    def commands_of(self, owns: Callable[[Command], bool]) -> list[Command]:
        """The commands that an engine calls its own; if there are none, all of them."""
        return [command for command in self.commands if owns(command)] or self.commands
