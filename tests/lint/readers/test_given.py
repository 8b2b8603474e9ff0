"""What is handed over: JSON, a script, or words."""

import pytest

from draftproof.errors import BadRequest
from draftproof.lint import Given
from draftproof.lint.finding import Place


@pytest.mark.parametrize(
    ("name", "text", "is_json"),
    [("a.json", "", True), ("a", ' {"a": 1}', True), ("a", "[1]", True), ("a.sh", "llama-server", False), ("", "", False)],
)
def test_a_file_is_json_by_its_name_or_its_first_letter(name: str, text: str, is_json: bool) -> None:
    assert Given(name, text).is_json is is_json


def test_json_that_is_no_object_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"a\.json, line 1, column 1: the JSON is no object"):
        _ = Given("a.json", "[1]").json


def test_the_words_come_after_the_commands_of_the_file() -> None:
    found = Given("a.sh", "one two\nthree", ("four",)).commands
    assert [[word.text for word in command] for command in found] == [["one", "two"], ["three"], ["four"]]
    assert found[-1][0].place == Place(argument=1)


def test_commands_of_an_engine_or_all_if_it_owns_none() -> None:
    given = Given("a.sh", "one two\nthree")
    assert [command[0].text for command in given.commands_of(lambda command: command[0].text == "three")] == ["three"]
    assert len(given.commands_of(lambda command: False)) == 2
