"""The picture of an explanation: nothing cut off at any width, and bars that say what the numbers say."""

from fractions import Fraction
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from draftproof.report.explanation import explain
from draftproof.report.picture import Picture

THIRDS = [Fraction(1, 3)] * 3
LONG = [Fraction(123456789, 10**9), Fraction(876543211, 10**9), Fraction(0)]


def shown(picture: Picture, *, width: int) -> str:
    console = Console(file=StringIO(), width=width, color_system=None, markup=False, emoji=False, highlight=False)
    console.print(picture)
    return console.file.getvalue()  # type: ignore[attr-defined]


def bars(text: str, label: str) -> list[str]:
    return [line.partition(f"{label}  ")[2].strip() for line in text.splitlines() if f"  {label}  " in line and ":" not in line]


def test_the_bars_of_the_example() -> None:
    text = shown(Picture(explain([Fraction(n, 10) for n in (2, 5, 3)], [Fraction(n, 10) for n in (5, 3, 2)])), width=62)
    assert bars(text, "rule ") == ["█" * 20 + "×" * 30, "█" * 30 + "░" * 20, "█" * 20 + "░" * 10]
    assert bars(text, "wrong") == ["█" * 20 + "▒" * 6, "█" * 30 + "▒" * 15, "█" * 20 + "▒" * 9]


def test_a_small_part_is_still_seen() -> None:
    tiny = Fraction(1, 10**6)
    text = shown(Picture(explain([1 - tiny, tiny], [1 - tiny / 2, tiny / 2])), width=60)
    first, second = bars(text, "rule ")
    assert first.endswith("█×")
    assert second == "█░"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_nothing_is_cut_off_at_any_width(width: int) -> None:
    for target, draft in ((THIRDS, THIRDS), (LONG, THIRDS), (THIRDS, LONG)):
        found = explain(target, draft, ["a name that is rather long", "日本語", "c"])
        text = shown(Picture(found), width=width)
        assert max(map(cell_len, text.splitlines())) <= width
        joined = "".join(text.split())
        for value in (*found.target, *found.draft, *found.output, *found.wrong_output):
            assert str(value) in joined


def test_the_layout_follows_the_width() -> None:
    found = explain(THIRDS, LONG)
    assert sum(line.startswith("token") for line in shown(Picture(found), width=400).splitlines()) == 1
    assert sum(line.startswith("token") for line in shown(Picture(explain(THIRDS, THIRDS[::-1])), width=50).splitlines()) == 2
    assert "  wrong fallback: " in shown(Picture(found), width=50)


def test_an_output_that_is_wrong_is_called_wrong() -> None:
    found = explain(THIRDS, LONG)
    spoilt = type(found)(**{**vars(found), "output": found.wrong_output})
    assert "The output is the target's law, exactly." in shown(Picture(found), width=80)
    assert "The output is NOT the target's law." in shown(Picture(spoilt), width=80)
