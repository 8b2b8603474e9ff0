"""Words as options: `--name value`, `--name=value`, `--flag`, `--no-flag`."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from draftproof.errors import BadRequest
from draftproof.lint.settings import Kind, Setting, Table
from draftproof.lint.words import Word

MOST = 1000
"""Options of one configuration. Each that is unknown is compared with all that are known."""

_TRUE, _FALSE = ("true", "1", "on", "enabled"), ("false", "0", "off", "disabled")


class Options:
    """Options while they are read: the last of equal names stands, and the others are remembered."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.given: dict[str, Setting] = {}
        self.repeated: list[Setting] = []

    def name(self, spelling: str) -> str:
        """The name in the table, or the spelling itself."""
        return self.table.aliases.get(spelling, spelling)

    def add(self, name: str, setting: Setting) -> None:
        """Take one option."""
        if name in self.given:
            self.repeated.append(self.given.pop(name))
        if len(self.given) + len(self.repeated) >= MOST:
            raise BadRequest(
                f"there are more than {MOST:,} options ({setting.place}), and no configuration has so many; give the right file"
            )
        self.given[name] = setting

    def add_all(self, settings: Mapping[str, Setting]) -> None:
        """Take options that were read elsewhere and are meant to be replaced: the environment, or a file."""
        for name, setting in settings.items():
            self.given.setdefault(name, setting)


def typed(table: Table, name: str, setting: Setting) -> Setting:
    """The same, with the text of its value read as what the option takes, if it can be."""
    option, value = table.options.get(name), setting.value
    if option is None or not isinstance(value, str):
        return setting
    return replace(setting, value=_read(value, option.kind))


def _read(text: str, kind: Kind) -> Any:
    try:
        match kind:
            case Kind.WHOLE:
                return int(text) if len(text) < 20 else text
            case Kind.NUMBER:
                number = float(text)
                return int(number) if number == int(number) else number
            case Kind.FLAG if text.lower() in (*_TRUE, *_FALSE):
                return text.lower() in _TRUE
    except (ValueError, OverflowError):
        pass
    return text


def read_options(words: Iterable[Word], options: Options, *, underscores: bool = False) -> None:
    """Add every option among the words. Words that belong to no option are passed over.

    Args:
        underscores: True if the engine takes `_` and `-` in names as the same; names in its table have `_`.
    """
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if not _is_option(word.text):
            continue
        spelling, equals, inline = word.text.partition("=") if word.text.startswith("--") else (word.text, "", "")
        bare = spelling.lstrip("-")
        name, negated = _name(bare.replace("-", "_") if underscores else bare, options)
        option = options.table.options.get(name)
        value: Any = True if option is None else None
        if equals:
            value = inline
        elif negated or (option is not None and option.kind is Kind.FLAG):
            value = not negated
        elif rest and not _is_option(rest[0].text):
            value = rest.popleft().text
        options.add(name, typed(options.table, name, Setting(spelling, value, word.place)))


def _name(bare: str, options: Options) -> tuple[str, bool]:
    """The name of an option, and whether it is switched off by a `no-` before it."""
    name, positive = options.name(bare), options.name(bare[3:])
    if name not in options.table.options and bare[:3] in ("no-", "no_") and positive in options.table.options:
        return positive, True
    return name, False


def _is_option(text: str) -> bool:
    """True for what begins with a dash and is no negative number."""
    if len(text) < 2 or not text.startswith("-"):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False
