"""The page on sampling says what the code does: its examples run, its tables are the tables."""

import doctest
import re
from pathlib import Path

from draftproof.sampling.dialects import DIALECTS
from draftproof.sampling.spellings import ALIASES

PAGE = Path(__file__).parents[2] / "docs" / "sampling.md"


def rows(heading: str) -> dict[str, str]:
    """The table under a header, first column to second, without backquotes."""
    table = PAGE.read_text().partition(heading)[2].split("\n\n")[0]
    return dict(re.findall(r"^\| `?([^|`-]+?)`? \| `?([^|`]+?)`? \|", table, flags=re.MULTILINE))


def test_the_examples_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.failed == 0
    assert results.attempted > 10


def test_the_orders_are_those_of_the_dialects() -> None:
    assert rows("| dialect | order |\n|---|---|\n") == {name: ", ".join(dialect.order) for name, dialect in DIALECTS.items()}


def test_the_aliases_are_those_of_the_code() -> None:
    assert rows("| spelling | parameter |\n|---|---|\n") == ALIASES
