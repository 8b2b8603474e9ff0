"""What every reader gives and every rule reads: options with their values and places."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from draftproof.lint.finding import NOWHERE, Place
from draftproof.lint.version import Version, parse


class Kind(StrEnum):
    """What the value of an option is, in words for a message."""

    WHOLE = "a whole number"
    NUMBER = "a number"
    TEXT = "a text"
    FLAG = "true or false"
    WORDS = "one or more words"
    ANY = "anything"


@dataclass(frozen=True)
class Option:
    """An option that an engine knows.

    Attributes:
        choices: the values that it takes, or the members of a list with commas; empty if any of its kind will do.
    """

    kind: Kind = Kind.ANY
    choices: tuple[str, ...] = ()

    def takes(self, value: Any) -> bool:
        """True if the value is of its kind; null is, and so is what a shell has yet to fill in."""
        if value is None or (isinstance(value, str) and "$" in value):
            return True
        match self.kind:
            case Kind.WHOLE:
                return isinstance(value, int) and not isinstance(value, bool)
            case Kind.NUMBER:
                return isinstance(value, int | float) and not isinstance(value, bool)
            case Kind.FLAG:
                return isinstance(value, bool)
            case Kind.TEXT:
                return isinstance(value, str)
            case _:
                return True


@dataclass(frozen=True)
class Setting:
    """An option as it was given.

    Attributes:
        spelling: as its author wrote it.
    """

    spelling: str
    value: Any
    place: Place = NOWHERE


@dataclass(frozen=True)
class Table:
    """The options of an engine.

    Attributes:
        options: by name.
        aliases: other spellings of the same.
        families: beginnings of names of which all options are listed. An unknown name that begins so is reported; with
            the empty beginning every unknown name is.
    """

    options: Mapping[str, Option]
    families: tuple[str, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> list[str]:
        """All names and spellings."""
        return [*self.options, *self.aliases]


@dataclass(frozen=True)
class Settings:
    """A configuration.

    Attributes:
        engine: its name.
        version: as given; empty for none.
        newest: the newest version that the rules know.
        options: by the name in the table of the engine; an unknown one by its own spelling.
        table: what the engine knows.
        repeated: options given before under the same name, in vain.
        whole_call: True if all arguments of the call are known, False if some may still be added.
    """

    engine: str
    version: str
    newest: str
    options: Mapping[str, Setting]
    table: Table
    repeated: tuple[Setting, ...] = ()
    whole_call: bool = True

    def __post_init__(self) -> None:
        if self.version:
            parse(self.version)

    @property
    def is_later(self) -> bool:
        """True if the version is later than the newest one, as far as that one is told: 5.24.3 is no later than 5.24."""
        told = self.newest.count(".") + 1
        return bool(self.version) and parse(self.version)[:told] > parse(self.newest)[:told]

    @property
    def judged_as(self) -> str:
        """The version whose rules apply: the newest known one if none was given or a later one was."""
        return self.newest if not self.version or self.is_later else self.version

    @property
    def numbers(self) -> Version:
        """The same, to be compared."""
        return parse(self.judged_as)

    def value(self, name: str) -> Any:
        """The value of an option, None if it was not given."""
        return self.options[name].value if name in self.options else None
