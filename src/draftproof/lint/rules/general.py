"""Rules for every engine: versions, names, types."""

from collections.abc import Iterator
from difflib import get_close_matches

from draftproof.lint.finding import Level
from draftproof.lint.rule import Hit, Rule, shown
from draftproof.lint.settings import Settings

CLOSE = 0.85
"""Likeness from which a name is taken for a misspelling: one wrong letter in four passes, another word does not."""

LONGEST_NAME = 64
"""Characters beyond which no name of an option is looked for."""


def no_version(settings: Settings) -> list[Hit]:
    """One hit if no version was given."""
    return [] if settings.version else [Hit()]


def later_version(settings: Settings) -> list[Hit]:
    """One hit if the version is later than those that the rules know."""
    return [Hit(words={"given": settings.version})] if settings.is_later else []


def repeated(settings: Settings) -> Iterator[Hit]:
    """Each option that another one of the same name replaces."""
    for setting in settings.repeated:
        yield Hit(place=setting.place, words={"option": shown(setting.spelling), "value": shown(setting.value)})


def unknown(settings: Settings) -> Iterator[Hit]:
    """Each option that the engine does not know, as far as its options are listed."""
    names = settings.table.names()
    bare = {name.rpartition(".")[2]: name for name in names}
    for name in settings.options:
        if name in settings.table.options:
            continue
        short = len(name) <= LONGEST_NAME
        close = get_close_matches(name, names, 1, CLOSE) if short else []
        if not close and short and "." in name:
            close = [bare[match] for match in get_close_matches(name.rpartition(".")[2], list(bare), 1, CLOSE)]
        if close or name.startswith(settings.table.families):
            yield Hit(name, words={"advice": _advice(settings.options[name].spelling, close)})


def _advice(spelling: str, close: list[str]) -> str:
    if not close:
        return "Remove it, or look its name up in the manual of the version that you run."
    nearest = close[0].rpartition(".")[2]
    return f"Did you mean --{nearest.replace('_', '-')}?" if spelling.startswith("--") else f"Did you mean {nearest}?"


def wrong_type(settings: Settings) -> Iterator[Hit]:
    """Each option whose value is of another type than it takes."""
    for name, setting in settings.options.items():
        option = settings.table.options.get(name)
        if option and not option.takes(setting.value):
            yield Hit(name, words={"kind": option.kind})


def wrong_value(settings: Settings) -> Iterator[Hit]:
    """Each option whose value is none of those that it takes."""
    for name, setting in settings.options.items():
        option = settings.table.options.get(name)
        if not (option and option.choices and isinstance(setting.value, str)) or "$" in setting.value:
            continue
        wrong = [part for part in setting.value.split(",") if part.strip() not in option.choices]
        if wrong:
            close = get_close_matches(wrong[0][:LONGEST_NAME], option.choices, 1, 0.6)
            advice = f"Did you mean {close[0]}?" if close else f"Give one of {', '.join(option.choices)}."
            yield Hit(name, words={"wrong": shown(wrong[0]), "advice": advice})


RULES = (
    Rule(
        "version-not-given",
        Level.NOTE,
        "no version was given",
        no_version,
        "No version of {engine} was given, so this is judged as {version}, the newest one that the rules know.",
        "Give the one you run with --version.",
    ),
    Rule(
        "version-later",
        Level.NOTE,
        "the version is later than the rules",
        later_version,
        "The rules do not know {engine} {given}, so this is judged as {version}, the newest one that they know.",
        "Look up in its release notes whether options of speculation changed.",
    ),
    Rule(
        "repeated-option",
        Level.WARNING,
        "an option is given twice",
        repeated,
        "{option} is given again further on, and its value here, {value}, has no effect.",
        "Keep the one that you mean.",
    ),
    Rule(
        "unknown-option",
        Level.WARNING,
        "an option is unknown, or misspelt",
        unknown,
        "{option} is not an option of {engine} {version}.",
        "{advice}",
    ),
    Rule(
        "wrong-type",
        Level.ERROR,
        "a value has the wrong type",
        wrong_type,
        "{option} takes {kind}, and {value} is none.",
        "Give {kind}.",
    ),
    Rule(
        "unknown-value",
        Level.WARNING,
        "a value is none of those that the option takes",
        wrong_value,
        "{wrong} is no value of {option} in {engine} {version}.",
        "{advice}",
    ),
)
