"""Settings: types, and the version by which they are judged."""

from typing import Any

import pytest

from draftproof.errors import BadRequest
from draftproof.lint.settings import Kind, Option, Setting, Settings, Table

TABLE = Table({}, ())


@pytest.mark.parametrize(
    ("kind", "taken", "refused"),
    [
        (Kind.WHOLE, [1, None, "$N"], [True, 1.5, "1", [1]]),
        (Kind.NUMBER, [1, 1.5, None], [True, "1"]),
        (Kind.FLAG, [True, False, None], [0, 1, "true"]),
        (Kind.TEXT, ["a", "", None], [1, True, ["a"]]),
        (Kind.ANY, [1, "a", [], {}], []),
    ],
)
def test_an_option_takes_values_of_its_kind(kind: Kind, taken: list[Any], refused: list[Any]) -> None:
    assert all(Option(kind).takes(value) for value in taken)
    assert not any(Option(kind).takes(value) for value in refused)


@pytest.mark.parametrize(
    ("version", "judged"), [("", "2.0"), ("1.5", "1.5"), ("2.0.0", "2.0.0"), ("2.0.7", "2.0.7"), ("2", "2"), ("2.1", "2.0"), ("3", "2.0")]
)
def test_the_newest_known_version_stands_in_for_an_unknown_one(version: str, judged: str) -> None:
    assert Settings("e", version, "2.0", {}, TABLE).judged_as == judged


def test_a_version_that_is_none_cannot_be_given() -> None:
    with pytest.raises(BadRequest, match="'soon' is not a version"):
        Settings("e", "soon", "2.0", {}, TABLE)


def test_the_value_of_an_option_that_was_not_given_is_none() -> None:
    settings = Settings("e", "", "2.0", {"a": Setting("a", 1)}, TABLE)
    assert (settings.value("a"), settings.value("b")) == (1, None)
