"""Words as options."""

from typing import Any

import pytest

from draftproof.errors import BadRequest
from draftproof.lint.arguments import MOST, Options, read_options, typed
from draftproof.lint.finding import Place
from draftproof.lint.settings import Kind, Option, Setting, Table
from draftproof.lint.words import arguments

TABLE = Table(
    {"steps": Option(Kind.WHOLE), "rate": Option(Kind.NUMBER), "fast": Option(Kind.FLAG), "name": Option(Kind.TEXT)}, ("",), {"s": "steps"}
)


def read(*words: str, underscores: bool = False) -> Options:
    """The options among these words."""
    options = Options(TABLE)
    read_options(arguments(words), options, underscores=underscores)
    return options


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["--steps", "3"], {"steps": 3}),
        (["--steps=3"], {"steps": 3}),
        (["-s", "-3"], {"steps": -3}),
        (["--steps", "three"], {"steps": "three"}),
        (["--steps", "9" * 5000], {"steps": "9" * 5000}),
        (["--steps"], {"steps": None}),
        (["--steps", "--fast"], {"steps": None, "fast": True}),
        (["--rate", "1.0"], {"rate": 1}),
        (["--rate", "nan"], {"rate": "nan"}),
        (["--rate", "inf"], {"rate": "inf"}),
        (["--fast", "x"], {"fast": True}),
        (["--no-fast"], {"fast": False}),
        (["--fast=off"], {"fast": False}),
        (["--name=a=b"], {"name": "a=b"}),
        (["--other", "v", "stray"], {"other": "v"}),
        (["--other"], {"other": True}),
        (["stray", "-", "--"], {"": True}),
    ],
)
def test_values_are_read_as_what_the_option_takes(words: list[str], values: dict[str, Any]) -> None:
    assert {name: setting.value for name, setting in read(*words).given.items()} == values


def test_the_last_of_equal_names_stands_and_the_others_are_remembered() -> None:
    options = read("-s", "1", "--steps", "2")
    assert options.given["steps"] == Setting("--steps", 2, Place(argument=3))
    assert options.repeated == [Setting("-s", 1, Place(argument=1))]


def test_underscores_are_dashes_for_an_engine_that_takes_both() -> None:
    table = Table({"num_steps": Option(Kind.WHOLE)}, ("",))
    options = Options(table)
    read_options(arguments(["--num-steps", "1", "--num_steps", "2"]), options, underscores=True)
    assert options.given["num_steps"].value == 2


def test_a_text_that_is_no_option_of_the_table_stays_a_text() -> None:
    assert typed(TABLE, "other", Setting("other", "3")).value == "3"


def test_more_options_than_any_configuration_has_are_refused() -> None:
    with pytest.raises(BadRequest, match=r"more than 1,000 options \(argument 1001\)"):
        read(*[f"--x{number}" for number in range(MOST + 1)])
