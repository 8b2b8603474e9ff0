"""Versions as engines write them."""

import pytest

from draftproof.errors import BadRequest
from draftproof.lint.version import parse


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.28", (0, 28, 0, 0)),
        ("0.28.0", (0, 28, 0, 0)),
        ("v0.5.19", (0, 5, 19, 0)),
        ("b9596", (9596, 0, 0, 0)),
        ("9596", (9596, 0, 0, 0)),
        ("5.24.0.dev0", (5, 24, 0, 0)),
        ("0.19.1rc1", (0, 19, 1, 0)),
        ("0.25.2.dev0+g752a3a504.d20260714", (0, 25, 2, 0)),
        (" 1.2.3.4 ", (1, 2, 3, 4)),
        ("0", (0, 0, 0, 0)),
    ],
)
def test_a_version_is_its_numbers(text: str, numbers: tuple[int, int, int, int]) -> None:
    assert parse(text) == numbers


@pytest.mark.parametrize("text", ["", "new", "0.28 or so", "1..2", "-1", "1.2.3.4.5", "9" * 5000])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match="is not a version; give one such as"):
        parse(text)
