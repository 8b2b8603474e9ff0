"""The conditions of rules. Each is a function of settings that gives what it is true of; these build one from another."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from draftproof.lint.rule import Condition, Hit
from draftproof.lint.settings import Settings

Test = Callable[[Any], bool]


def given(*names: str) -> Condition:
    """Each of the options that was given, and not as null or false."""
    return has(lambda value: value is not None and value is not False, *names)


def has(test: Test, *names: str) -> Condition:
    """Each of the options whose value passes the test. A value of another type than the test expects does not pass."""

    def hits(settings: Settings) -> Iterator[Hit]:
        for name in names:
            if name in settings.options and _passes(test, settings.options[name].value):
                yield Hit(name)

    return hits


def _passes(test: Test, value: Any) -> bool:
    try:
        return test(value)
    except (TypeError, ValueError, AttributeError):
        return False


def one_of(name: str, *values: str) -> Condition:
    """The option, if it has one of the values."""
    return has(lambda value: isinstance(value, str) and value in values, name)


def below(limit: float, *names: str) -> Condition:
    """Each of the options that is a number below the limit."""
    return has(lambda value: value is not True and value is not False and value < limit, *names)


def other_than(usual: Any, *names: str) -> Condition:
    """Each of the options that was given with another value than the usual one."""
    return has(lambda value: value is not None and value != usual, *names)


def absent(*names: str) -> Condition:
    """One hit without an option, if none of them was given, or as null or false."""

    def hits(settings: Settings) -> list[Hit]:
        return [] if any(given(*names)(settings)) else [Hit()]

    return hits


def no(condition: Condition) -> Condition:
    """One hit without an option, if the condition is true of nothing."""

    def hits(settings: Settings) -> list[Hit]:
        return [] if any(True for _ in condition(settings)) else [Hit()]

    return hits


def either(*conditions: Condition) -> Condition:
    """The hits of all the conditions."""

    def hits(settings: Settings) -> Iterable[Hit]:
        return [hit for condition in conditions for hit in condition(settings)]

    return hits


def while_(blamed: Condition, *others: Condition) -> Condition:
    """The hits of the first condition, if each of the others is true of something."""

    def hits(settings: Settings) -> Iterable[Hit]:
        return list(blamed(settings)) if all(any(True for _ in other(settings)) for other in others) else []

    return hits


def once(condition: Condition) -> Condition:
    """The first hit alone: for what is said once of a whole configuration."""

    def hits(settings: Settings) -> Iterable[Hit]:
        return list(condition(settings))[:1]

    return hits


def in_call(settings: Settings) -> list[Hit]:
    """One hit if all arguments of the call are known."""
    return [Hit()] if settings.whole_call else []


def greater(larger: str, smaller: str) -> Condition:
    """The first option, if both are numbers and it is greater than the second."""

    def hits(settings: Settings) -> list[Hit]:
        one, other = settings.value(larger), settings.value(smaller)
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
        return [Hit(larger)] if numbers and one > other else []

    return hits
