"""The pictures of a benchmark: sound SVG with text as text, what was measured on them, and a table beside each."""

import sys
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest

from draftproof.errors import Unsupported
from draftproof.report import bench_figures as figures
from draftproof.report.svg import COLOURS

from .audits import HOSTILE
from .benches import PACE, PLAIN, lookup, reply

SVG = "{http://www.w3.org/2000/svg}"

SPOTS = [figures.Spot("an engine, lookup", 1, 1.3, 1.2, 1.4), figures.Spot("an engine, lookup", 5, 1.8, 1.6, 2.1)]
CURVES = {"an engine, lookup": [(1, 1.25), (3, 1.7), (5, 1.9)]}
WAITS = {PLAIN: [0.05, 0.051, 0.06], lookup(3): [0.04, 0.2, 0.9]}
RATES = {PLAIN: {1: [20.0, 21.0], 4: [60.0]}, lookup(3): {1: [30.0], 4: [66.0, 70.0]}}
RATIOS = [
    figures.Ratio("chat, 0", lookup(3), (1.4, 1.2, 1.6)),
    figures.Ratio("chat, 0", lookup(1), None),
    figures.Ratio("extract, 0", lookup(3), (1.0, 1.0, 1.0)),
]
REPLIES = {PLAIN: reply(0, pace=PACE), lookup(3): reply(0, pace=0.06, drafted=3, accepted=2)}


@cache
def drawings():
    return [
        figures.by_width(SPOTS, CURVES, "a"),
        figures.waits("Waits", WAITS, "b", of="requests"),
        figures.by_slots(RATES, "c"),
        figures.rounds(REPLIES, "d"),
        figures.speed_ups(RATIOS, "e"),
    ]


def texts(drawing):
    return ["".join(one.itertext()) for one in ElementTree.fromstring(drawing.svg).iter(f"{SVG}text")]


def numbers(drawing):
    return [float(text.replace(",", "")) for text in texts(drawing) if text.replace(",", "").replace(".", "").isdecimal()]


def test_each_has_a_text_alternative_and_a_table():
    for drawing in drawings():
        title, said = ElementTree.fromstring(drawing.svg)[:2]
        assert (title.text, bool(said.text)) == (drawing.title, True)
        assert drawing.rows
        assert all(len(row) == len(drawing.header) for row in drawing.rows)


def test_no_two_elements_share_a_name_and_colours_are_those_of_the_page():
    names = [one.get("id") for drawing in drawings() for one in ElementTree.fromstring(drawing.svg).iter() if one.get("id")]
    assert len(names) == len(set(names))
    assert not any(stands in drawing.svg for drawing in drawings() for stands in COLOURS.values())


def test_the_same_runs_draw_the_same_bytes():
    assert drawings.__wrapped__() == drawings()


def test_every_width_is_measured_or_predicted_in_the_table():
    drawing = figures.by_width(SPOTS, CURVES, "a")
    assert [row[:3] for row in drawing.rows[:2]] == [("an engine, lookup", "1", "measured"), ("an engine, lookup", "5", "measured")]
    assert [row[1] for row in drawing.rows[2:]] == ["1", "3", "5"]
    assert "predicted for an engine, lookup" in texts(drawing)


def test_a_workload_is_named_once_and_so_is_a_contender_and_what_is_refused_has_no_mark():
    drawing = figures.speed_ups(RATIOS, "a")
    assert [texts(drawing).count(name) for name in ("chat, 0", "extract, 0", lookup(3), lookup(1))] == [1, 1, 1, 0]
    assert [text.strip() for text in texts(drawing)].count("refused") == 1
    assert [row[2:] for row in drawing.rows] == [("1.40", "1.20 to 1.60"), ("refused", ""), ("1.00", "1.00 to 1.00")]


def test_waits_far_apart_are_drawn_by_factors_and_near_ones_from_zero():
    assert 0 in numbers(figures.waits("Waits", {PLAIN: [0.05, 0.06]}, "a", of="gaps"))
    far = figures.waits("Waits", WAITS, "a", of="gaps")
    assert {100.0, 500.0} <= {*numbers(far)}
    assert "shortest, ms" in far.header
    assert far.rows[1] == (lookup(3), "3", "40.0", "200.0", "900.0")


@pytest.mark.parametrize("found", [[0.05], [0.0], [0.0, 0.0], [0.01] * 5000, [1e-9, 3000.0]])
def test_any_waits_can_be_drawn(found):
    ElementTree.fromstring(figures.waits("Waits", {PLAIN: found}, "a", of="gaps").svg)


def test_thousands_of_waits_are_a_line_of_few_steps():
    times, shares = figures._steps([number / 1000 for number in range(5000)])
    assert len(times) == len(shares) <= figures.MOST_STEPS + 2
    assert (times[0], shares[0], times[-1], shares[-1]) == (0.0, 0.0, 4.999, 1.0)


def test_throughput_stands_at_every_number_of_slots():
    drawing = figures.by_slots(RATES, "a")
    assert {"1", "4"} <= set(texts(drawing))
    assert (PLAIN, "1", "20.5", "20.0 to 21.0") in drawing.rows


def test_each_burst_is_as_high_as_it_emitted():
    drawing = figures.rounds(REPLIES, "a")
    assert drawing.rows[0] == (PLAIN, "1", "50.0", "0", "0", "1")
    assert drawing.rows[-1] == (lookup(3), "8", "480.0", "3", "2", "3")
    assert "var(--good)" in drawing.svg


def test_bursts_without_rounds_count_for_one_and_are_kept_by_nobody():
    told = reply(0, pace=0.06, drafted=3, accepted=2)
    drawing = figures.rounds({lookup(3): replace(told, rounds=())}, "a")
    assert {row[3:] for row in drawing.rows} == {("0", "0", "1")}
    assert "var(--good)" not in drawing.svg


def test_thirty_lines_all_differ():
    looks = [(style["color"], style["linestyle"]) for style in figures._styles([str(number) for number in range(30)]).values()]
    assert len(set(looks)) == 30


def test_hostile_names_are_text():
    drawn = [
        figures.by_width([figures.Spot(HOSTILE, 1, 1.3, 1.2, 1.4)], {HOSTILE: [(1, 1.25)]}, "a"),
        figures.waits("Waits", {HOSTILE: [0.05]}, "b", of="requests"),
        figures.by_slots({HOSTILE: {1: [20.0]}}, "c"),
        figures.rounds({HOSTILE: reply(0, pace=PACE)}, "d"),
    ]
    for drawing in drawn:
        tags = {one.tag.removeprefix(SVG) for one in ElementTree.fromstring(drawing.svg).iter()}
        assert tags <= {"svg", "title", "desc", "defs", "g", "path", "use", "text", "clipPath", "rect", "tspan"}
        assert drawing.svg.isprintable()


def test_without_matplotlib_it_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Unsupported, match=r"a page with figures needs the package matplotlib: pip install matplotlib"):
        figures.rounds(REPLIES, "a")
