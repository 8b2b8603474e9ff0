"""The tables of recorded sittings are those that their raw runs give."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]

RAW = ROOT / "docs" / "benchmarks"


@pytest.fixture(scope="module")
def page() -> ModuleType:
    """The program that makes the tables, as its neighbours import it."""
    sys.path.insert(0, str(ROOT / "benchmarks" / "speed"))
    try:
        return __import__("recorded_page")
    finally:
        sys.path.pop(0)


def test_every_page_holds_the_tables_of_the_raw_runs(page: ModuleType) -> None:
    for shown in page.PAGES:
        text = shown.read_text()
        assert "<!-- end of peers -->" in text
        assert page.filled(text, RAW) == text


def test_a_number_that_was_changed_by_hand_is_put_right(page: ModuleType) -> None:
    text = (RAW / "README.md").read_text()
    changed = re.sub(r"(?<=\| code_edit, 0 \| )[\d.]+(?= \|)", "99.9", text)
    assert changed != text
    assert page.filled(changed, RAW) == text


def test_what_was_recorded_was_told_by_the_rules_of_a_benchmark(page: ModuleType) -> None:
    from draftproof.bench.compare import compare
    from draftproof.bench.store import read

    for name in ("peers", "others", "widths", "service"):
        recorded = read(RAW / name / "runs.jsonl")
        assert recorded.end is not None
        assert not recorded.withdrawn
        assert any(each.speed_up for each in compare(recorded.runs))
