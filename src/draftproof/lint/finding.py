"""What a rule found, and where."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters, in the words of SARIF."""

    ERROR = "error"
    """The text does not follow the target's law, or the engine refuses to start."""
    WARNING = "warning"
    """Something that was asked for does not happen."""
    NOTE = "note"
    """As it should be, and worth knowing."""


@dataclass(frozen=True)
class Place:
    """Where a setting stands: a line and a column of a file, an argument of a command, or both unknown.

    Attributes:
        line, column: from 1; 0 if it stands in no file.
        argument: number of the argument after `--`, from 1; 0 if it is none.
    """

    line: int = 0
    column: int = 0
    argument: int = 0

    def __post_init__(self) -> None:
        assert not (self.line and self.argument)
        assert bool(self.line) == bool(self.column)

    def __str__(self) -> str:
        if self.line:
            return f"line {self.line}, column {self.column}"
        return f"argument {self.argument}" if self.argument else "the whole"


NOWHERE = Place()
"""Of what is missing, so that it has no place."""


@dataclass(frozen=True)
class Finding:
    """One rule that applies to one setting.

    Attributes:
        rule: its name.
        what: a sentence that says what is so.
        do: a sentence that says what to do.
        reports: public reports of it, as project#number.
    """

    rule: str
    level: Level
    what: str
    do: str
    place: Place = NOWHERE
    reports: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """Both sentences."""
        return f"{self.what} {self.do}"
