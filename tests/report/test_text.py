"""Numbers and texts as they are written for a reader."""

from fractions import Fraction
from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from draftproof.report.numbers import both, written
from draftproof.report.text import Indented, printable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1), "1"),
        (Fraction(1, 4), "1/4 = 0.25"),
        (Fraction(1, 3), "1/3 (about 0.3333)"),
        (Fraction(1, 3**100), "about 1.94e-48"),
    ],
)
def test_an_equals_sign_stands_between_equals(value: Fraction, text: str) -> None:
    assert written(value) == text
    assert both(value).startswith(str(value))


def test_control_characters_are_written_as_escapes() -> None:
    assert printable("a\x1b[2J\n\u202eb\udc80é日") == "a\\x1b[2J\\n\\u202eb\\udc80é日"


def test_indented_text_keeps_its_margin_and_loses_nothing() -> None:
    console = Console(file=StringIO(), width=12, color_system=None)
    console.print(Indented(Text("one two three fourfivesixseven"), 4))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines == ["    one two", "    three", "    fourfive", "    sixseven"]
    console = Console(file=StringIO(), width=12, color_system=None)
    console.print(Indented(Text("one two three fourfivesixseven"), 4), soft_wrap=True)
    assert console.file.getvalue() == "    one two three fourfivesixseven\n"  # type: ignore[attr-defined]
