"""Words of a script: what a shell would make of them."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftproof.errors import BadRequest
from draftproof.lint.finding import Place
from draftproof.lint.words import Word, arguments, commands


def texts(script: str) -> list[list[str]]:
    """The words of each command."""
    return [[word.text for word in command] for command in commands(script, "s")]


def test_quotes_backslashes_and_comments() -> None:
    script = """# start
export A=1; exec llama-server -m 'a b' \\
    --prompt "c \\"d\\" \\n" e\\ f # the end
cat x | wc && true"""
    assert texts(script) == [
        ["export", "A=1"],
        ["exec", "llama-server", "-m", "a b", "--prompt", 'c "d" \\n', "e f"],
        ["cat", "x"],
        ["wc"],
        ["true"],
    ]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("a#b c", ["a#b", "c"]),
        ("a #b c", ["a"]),
        ('"a\\\nb"', ["ab"]),
        ('"a\\\\\nb"', ["a\\\nb"]),
        ('"\\$\\`\\x"', ["$`\\x"]),
        ("a\\\nb", ["ab"]),
        ("''", [""]),
        ("'a'\"b\"c", ["abc"]),
    ],
)
def test_words_as_a_shell_has_them(script: str, words: list[str]) -> None:
    assert texts(script) == [words]


def test_more_words_than_any_command_has_are_refused() -> None:
    with pytest.raises(BadRequest, match="s has more than 10,000 words"):
        commands("a " * 20_000, "s")


def test_a_word_knows_where_it_begins() -> None:
    (command,) = commands("a \\\n  'b\nc' d", "s")
    assert [(word.text, word.place) for word in command] == [("a", Place(1, 1)), ("b\nc", Place(2, 3)), ("d", Place(3, 4))]


def test_words_that_a_shell_has_separated_are_numbered() -> None:
    assert arguments(["a", "b c"]) == (Word("a", Place(argument=1)), Word("b c", Place(argument=2)))


@pytest.mark.parametrize(("script", "line"), [("a 'b", 1), ('a\nb "c\nd', 2)])
def test_an_open_quote_is_refused_with_its_line(script: str, line: int) -> None:
    with pytest.raises(BadRequest, match=rf"s, line {line}, column \d+: a .+ is not closed; close it"):
        commands(script, "s")


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_quoted_words_are_read_as_they_were(words: list[str]) -> None:
    assert texts(shlex.join(words)) == ([words] if words else [])
