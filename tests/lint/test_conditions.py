"""Conditions, one by one: what each is true of."""

from typing import Any

import pytest

from draftproof.lint.conditions import absent, below, either, given, greater, has, in_call, no, once, one_of, other_than, while_
from draftproof.lint.rule import Condition, Hit
from draftproof.lint.settings import Setting, Settings, Table


def settings(whole_call: bool = True, /, **values: Any) -> Settings:
    """Options with these values."""
    return Settings("e", "", "1", {name: Setting(name, value) for name, value in values.items()}, Table({}, ()), whole_call=whole_call)


def hits(condition: Condition, **values: Any) -> list[str]:
    """The options that it is true of."""
    return [hit.option for hit in condition(settings(**values))]


@pytest.mark.parametrize(
    ("condition", "values", "found"),
    [
        (given("a", "b"), {"a": 0, "b": ""}, ["a", "b"]),
        (given("a", "b"), {"a": None, "b": False}, []),
        (has(lambda value: value.startswith("q"), "a"), {"a": "q8"}, ["a"]),
        (has(lambda value: value.startswith("q"), "a"), {"a": 8}, []),
        (has(lambda value: value > 1, "a"), {"a": "many"}, []),
        (one_of("a", "x", "y"), {"a": "y"}, ["a"]),
        (one_of("a", "x", "y"), {"a": ["y"]}, []),
        (below(1, "a"), {"a": 0.5}, ["a"]),
        (below(1, "a"), {"a": 1}, []),
        (below(1, "a"), {"a": False}, []),
        (below(1, "a"), {"a": "0.5"}, []),
        (other_than(1, "a"), {"a": 1.0}, []),
        (other_than(1, "a"), {"a": None}, []),
        (other_than(1, "a"), {"a": 2}, ["a"]),
        (absent("a", "b"), {"a": False}, [""]),
        (absent("a", "b"), {"b": 1}, []),
        (no(given("a")), {}, [""]),
        (no(given("a")), {"a": 1}, []),
        (either(given("a"), given("b")), {"b": 1, "a": 1}, ["a", "b"]),
        (while_(given("a", "b"), given("c")), {"a": 1, "b": 1, "c": 1}, ["a", "b"]),
        (while_(given("a", "b"), given("c")), {"a": 1, "b": 1}, []),
        (once(given("a", "b")), {"a": 1, "b": 1}, ["a"]),
        (greater("a", "b"), {"a": 3, "b": 2}, ["a"]),
        (greater("a", "b"), {"a": 2, "b": 2}, []),
        (greater("a", "b"), {"a": 3}, []),
        (greater("a", "b"), {"a": "3", "b": 2}, []),
    ],
)
def test_what_a_condition_is_true_of(condition: Condition, values: dict[str, Any], found: list[str]) -> None:
    assert hits(condition, **values) == found


def test_whether_the_whole_call_is_known() -> None:
    assert in_call(settings(True)) == [Hit()]
    assert in_call(settings(False)) == []
