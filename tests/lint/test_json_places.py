"""JSON with places: what it reads is what the standard library reads, and what it refuses is refused with line and column."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftproof.errors import BadRequest
from draftproof.lint.finding import Place
from draftproof.lint.json_places import DEEPEST, JsonObject, parse, plain

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_it_reads_what_the_standard_library_writes(value: Any, indent: int | None, ascii_only: bool) -> None:
    assert plain(parse(json.dumps(value, indent=indent, ensure_ascii=ascii_only), "c")) == value


def test_every_key_knows_its_place_and_a_repeated_one_stays() -> None:
    found = parse('{"a": 1,\n  "b": {"c": [2]},\n "a": 3}', "c")
    assert isinstance(found, JsonObject)
    assert [(member.key, member.place) for member in found.members] == [("a", Place(1, 2)), ("b", Place(2, 3)), ("a", Place(3, 2))]
    assert plain(found) == {"a": 3, "b": {"c": [2]}}


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("", "line 1, column 1", "a JSON value is expected"),
        ('{"a": NaN}', "line 1, column 7", "there is no NaN"),
        ('{"a": Infinity}', "line 1, column 7", "there is no NaN"),
        ('{"a": True}', "line 1, column 7", "there is no NaN, True or None"),
        ('{"a": 1e999}', "line 1, column 7", "too large"),
        ('{"a": ' + "9" * 5000 + "}", "line 1, column 7", "more than 100 digits"),
        ('{\n"a" 1}', "line 2, column 5", "a colon is expected after the key 'a'"),
        ("{\n'a': 1}", "line 2, column 1", "a key in double quotes is expected"),
        ('{"a": 1\n"b": 2}', "line 2, column 1", "a comma or } is expected"),
        ('{"a": 1,}', "line 1, column 9", "a comma stands before }"),
        ("[1, 2", "line 1, column 6", "a comma or ] is expected"),
        ('{"a": 1} x', "line 1, column 10", "text follows after the end"),
        ('{"a": "b', "line 1, column 7", "unterminated string"),
        ('{"a": "\n"}', "line 1, column 8", "invalid control character"),
        ('{"a": "\\x"}', "line 1, column 8", "invalid \\escape"),
        ("[" * 10_000, f"line 1, column {DEEPEST + 1}", "nested more than 64 deep"),
        ('{"a":' * 10_000, f"line 1, column {5 * DEEPEST + 1}", "nested more than 64 deep"),
    ],
)
def test_what_is_no_json_is_refused_with_line_and_column(text: str, place: str, what: str) -> None:
    with pytest.raises(BadRequest) as refused:
        parse(text, "c.json")
    assert str(refused.value).startswith(f"c.json, {place}: ")
    assert what in str(refused.value)
    assert str(refused.value).endswith("; mend the JSON there")


@given(st.text())
def test_no_text_makes_it_raise_anything_else(text: str) -> None:
    try:
        mine = plain(parse(text, "c"))
    except BadRequest:
        return
    assert json.loads(text) == mine
