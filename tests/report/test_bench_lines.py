"""A benchmark as lines: the three tables in order, aligned where there is room, and text that stays text."""

import io

import pytest
from rich.console import Console

from draftproof.report.bench_lines import bench_lines, speed_up_lines

from .audits import HOSTILE
from .benches import PLAIN, alone, lookup, report, saying, with_everything

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def shown(lines, width=200):
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None)
    for line in lines:
        console.print(line)
    return file.getvalue()


def test_the_parts_come_in_order():
    text = shown(bench_lines(with_everything()))
    parts = [
        "Speed of smollm2",
        "Evidence: speed alone",
        "Machine:",
        "Noise:",
        "One request:",
        "Service:",
        "Tail:",
        "Not measured",
        "Predicted and observed",
        "What these numbers do not show",
        "Run again: draftproof bench smollm2",
        "Raw data: sha256",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_numbers_stand_below_each_other_where_there_is_room():
    lines = shown(bench_lines(report(*alone(widths=(1,))))).splitlines()
    header = next(place for place, line in enumerate(lines) if line.strip().startswith("contender"))
    plain, drafting = lines[header + 1 : header + 3]
    assert plain.strip().startswith(PLAIN)
    for name in ("tokens/s", "first", "gap p50"):
        end = lines[header].index(name) + len(name)
        assert plain[end - 1 : end + 1].strip() in ("", "*", ")", "0", "–")
    assert drafting.rstrip("* ").endswith("2.00 (2.00–2.00)")


def test_on_a_narrow_console_each_row_is_a_sentence():
    lines = shown(bench_lines(report(*alone(widths=(1,)))), width=60)
    assert "contender " not in lines
    assert f"{PLAIN}: tokens/s 19." in " ".join(lines.split())
    assert max(map(len, lines.splitlines())) <= 60


def test_a_refusal_stands_below_its_row():
    lines = shown(bench_lines(report(*alone(widths=(1,)), noise_limit=1e-6))).splitlines()
    place = next(place for place, line in enumerate(lines) if line.strip().startswith(lookup(1)))
    assert lines[place].rstrip().endswith("refused")
    assert lines[place + 1].strip().startswith("no speed-up: the machine was too noisy")


def test_why_nothing_is_predicted_stands_where_it_would():
    text = shown(bench_lines(report(*alone(), settings=[("passes", "[1]")])))
    assert text.index("Predicted and observed") < text.index("Nothing is predicted: ") < text.index("What these numbers do not show")


def test_quiet_lines_are_the_speed_ups_alone():
    text = shown(speed_up_lines(with_everything()))
    assert f"One request: chat, temperature 0: {lookup(1)}: 2.00 (2.00–2.00)" in text
    assert "another engine as it comes, lookup: refused: nothing was drafted" in text
    assert f"Service: chat, temperature 0, 4 at once: {lookup(3)}: " in text
    assert "good requests a second" in text
    assert f": {PLAIN}: " not in "".join(line for line in text.splitlines() if not line.startswith("Tail"))


@pytest.mark.parametrize("width", [60, 200])
def test_hostile_text_is_text(width):
    for lines in (bench_lines, speed_up_lines):
        assert all(line.isprintable() for line in shown(lines(saying(HOSTILE)), width).splitlines())
