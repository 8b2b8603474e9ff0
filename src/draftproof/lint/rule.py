"""A rule as data: when it applies, and what it says."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from draftproof.lint.finding import NOWHERE, Finding, Level, Place
from draftproof.lint.settings import Settings
from draftproof.lint.version import parse


@dataclass(frozen=True)
class Hit:
    """Something that a condition is true of.

    Attributes:
        option: the name of the option at fault; empty if it is one that was not given.
        place: where it stands, if that is not where the option stands.
        words: further words for the sentences of the rule.
    """

    option: str = ""
    place: Place | None = None
    words: dict[str, str] = field(default_factory=dict)


Condition = Callable[[Settings], Iterable[Hit]]


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: its name, which begins with the engine unless it is for all of them.
        title: what it looks for, for a table.
        when: the condition.
        what, do: the two sentences of its finding. `{option}` and `{value}` stand for the option at fault, `{engine}` and
            `{version}` for what is judged, and other words for those of the hit.
        since: the first version it is true of; empty for all.
        until: the first version it is no longer true of; empty for none.
        reports: public reports, as project#number.
    """

    name: str
    level: Level
    title: str
    when: Condition
    what: str
    do: str
    since: str = ""
    until: str = ""
    reports: tuple[str, ...] = ()

    def applies_to(self, settings: Settings) -> bool:
        """True if it is a rule for this version."""
        return not ((self.since and settings.numbers < parse(self.since)) or (self.until and settings.numbers >= parse(self.until)))

    def findings(self, settings: Settings) -> list[Finding]:
        """What it finds."""
        return [self._finding(hit, settings) for hit in self.when(settings)] if self.applies_to(settings) else []

    def _finding(self, hit: Hit, settings: Settings) -> Finding:
        setting = settings.options.get(hit.option)
        words = {
            "option": shown(setting.spelling) if setting else hit.option,
            "value": shown(setting.value) if setting else "",
            "engine": settings.engine,
            "version": settings.judged_as,
            **hit.words,
        }
        place = hit.place or (setting.place if setting else NOWHERE)
        return Finding(self.name, self.level, self.what.format_map(words), self.do.format_map(words), place, self.reports)


LONGEST = 60
"""Characters of a value in a message."""


def shown(value: Any) -> str:
    """A value as it is written in a message: as JSON writes null, true and false, and cut if it is long."""
    text = {"None": "null", "True": "true", "False": "false"}.get(str(value), str(value))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
