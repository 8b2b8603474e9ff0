"""JSON inside an option."""

import pytest

from draftproof.errors import BadRequest
from draftproof.lint.arguments import Options
from draftproof.lint.finding import Place
from draftproof.lint.readers.nested import expand
from draftproof.lint.settings import Setting, Table

AT = Place(argument=4)


def members(value: object) -> dict[str, object]:
    """What is added for an option with this value."""
    options = Options(Table({}, ()))
    options.add("config", Setting("--config", value, AT))
    expand(options, "config", "inner", engine="vLLM")
    assert all(setting.place == AT for setting in options.given.values())
    return {name: setting.value for name, setting in options.given.items()}


def test_members_are_named_by_the_prefix_and_stand_where_the_text_stands() -> None:
    assert members('{"a": 1, "b": {"c": 2}}') == {"inner.a": 1, "inner.b": {"c": 2}}


def test_what_a_shell_fills_in_is_not_read() -> None:
    assert members("$CONFIG") == {"config": "$CONFIG"}
    assert members(None) == {"config": None}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[1]", r"--config \(argument 4\) is no JSON object; vLLM takes one in braces there"),
        (3, r"--config \(argument 4\) is no JSON object"),
        ("{a: 1}", r"--config \(argument 4\), line 1, column 2: a key in double quotes is expected"),
    ],
)
def test_what_is_no_object_is_refused_with_its_place(value: object, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        members(value)
