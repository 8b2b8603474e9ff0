"""Which pictures a benchmark has: those of what was measured and is told, each under its section."""

from dataclasses import replace

import pytest

from draftproof.report.bench_pictures import pictures

from .audits import HOSTILE
from .benches import alone, arriving, lookup, report, saying, served, with_everything

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def titles(made):
    return [picture.drawing.title for picture in pictures(made)]


SPEED_UPS = "Speed-ups, told and refused"
WIDTHS = "Speed-up by width, measured and predicted"
ROUNDS = "One request, burst by burst"


def test_one_request_has_widths_waits_and_rounds():
    assert titles(report(*alone())) == [SPEED_UPS, WIDTHS, "Waits for the first text", "Waits between two bursts of text", ROUNDS]


def test_a_single_width_has_no_curve():
    assert WIDTHS not in titles(report(*alone(widths=(3,))))


def test_what_is_refused_is_on_no_picture_of_a_ratio():
    assert not {SPEED_UPS, WIDTHS, ROUNDS} & {*titles(report(*alone(), noise_limit=1e-6))}


def test_the_speed_ups_of_a_table_stand_together_and_say_what_is_refused():
    drifting = [replace(one, seconds=one.seconds * (1 + one.repeat)) for one in alone("summarise")]
    (drawn,) = [picture for picture in pictures(report(*alone(), *alone("extract", 0.8), *drifting)) if picture.drawing.title == SPEED_UPS]
    assert (drawn.table, drawn.section) == ("one", None)
    assert [row[:2] for row in drawn.drawing.rows] == [
        (where, lookup(width)) for where in ("chat, 0", "extract, 0.8", "summarise, 0") for width in (1, 3)
    ]
    told = [row[2:] for row in drawn.drawing.rows]
    assert {row == ("refused", "") for row in told[:4]} == {False}
    assert told[4:] == [("refused", "")] * 2


def test_one_speed_up_alone_is_not_drawn():
    assert SPEED_UPS not in titles(report(*alone(widths=(3,))))


def test_the_rounds_are_those_of_the_typical_pair():
    (rounds,) = [picture.drawing for picture in pictures(report(*alone(widths=(3,)))) if picture.drawing.title == ROUNDS]
    assert {row[0] for row in rounds.rows} == {"an engine float32, no drafts", lookup(3)}
    assert "3" in {row[3] for row in rounds.rows}


def test_a_service_has_its_throughput_and_a_tail_its_waits_rate_by_rate():
    assert titles(report(*served())) == [SPEED_UPS, "Throughput by number of requests served at once"]
    assert titles(report(*arriving())) == [f"Waits for the first text, {rate} requests a second" for rate in ("0.1", "2")]


def test_waits_that_are_not_trusted_are_not_drawn():
    assert titles(report(*[replace(one, seconds=2 * one.seconds) for one in arriving()])) == []


def test_each_has_a_name_of_its_own_that_any_disk_takes():
    for made in (with_everything(), saying(HOSTILE)):
        names = [picture.name for picture in pictures(made)]
        assert names
        assert len(names) == len(set(names))
        assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_.-") and len(name) < 100 for name in names)
