"""The three tables: who is best, what is refused and why, what is not claimed, and no ratio across engines."""

from dataclasses import replace

import pytest

from draftproof.bench.cell import ONE, SERVICE, TAIL, Cell
from draftproof.bench.tail import Limits
from draftproof.report.bench_tables import NOTHING

from .benches import ENGINE, PACE, PLAIN, PROMPTS, alone, arriving, lookup, reply, report, run, served, with_everything

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def column(table, section, name):
    """The cells of a column, by contender."""
    place = table.header.index(name)
    return {row.cells[0]: row.cells[place] for row in section.rows}


def test_a_section_for_each_workload_and_temperature():
    table = report(*alone(), *alone("code_edit", 0.8)).tables[0]
    assert [section.name for section in table.sections] == ["chat, temperature 0", "code_edit, temperature 0.8"]
    assert all(len(row.cells) == len(table.header) for section in table.sections for row in section.rows)


def test_one_request_has_its_rate_its_waits_and_its_speed_up():
    (table,) = report(*alone(widths=(1,))).tables
    (section,) = table.sections
    assert column(table, section, "tokens/s")[PLAIN].startswith("19.")
    assert column(table, section, "first")[PLAIN] == "52.0"
    assert column(table, section, "kept") == {PLAIN: "", lookup(1): "100%"}
    assert column(table, section, "speed-up") == {PLAIN: "", lookup(1): "2.00 (2.00–2.00)"}


def test_the_best_of_each_column_is_marked_and_equals_share_it():
    (table,) = report(*alone(widths=(1, 3))).tables
    by_name = {row.cells[0]: {table.header[place] for place in row.best} for row in table.sections[0].rows}
    assert "tokens/s" not in by_name[PLAIN]
    assert by_name[PLAIN] & {"first"} == by_name[lookup(1)] & {"first"} == {"first"}
    assert not by_name[lookup(3)] & {"first"}


def test_alone_nobody_is_the_best():
    (table,) = report(*(one for one in alone() if not one.drafts)).tables
    assert all(not row.best for row in table.sections[0].rows)


def test_what_is_refused_has_its_reasons_and_no_number():
    (table,) = report(*alone(widths=(1,)), noise_limit=1e-6).tables
    (plain, drafting) = table.sections[0].rows
    assert (plain.refusals, drafting.cells[-1]) == ((), "refused")
    assert drafting.refusals[0].startswith("the machine was too noisy")


def test_no_speed_up_without_a_plain_one_of_the_same_engine():
    strangers = [one for one in alone(widths=(1,), engine="another") if one.drafts]
    (table,) = report(*(one for one in alone() if not one.drafts), *strangers).tables
    row = next(row for row in table.sections[0].rows if row.cells[0] == lookup(1, "another"))
    assert row.cells[-1] == "refused"
    assert "not measured without a draft" in row.refusals[0]


def test_a_quantile_that_is_not_supported_is_not_claimed():
    (table,) = report(*alone()).tables
    (section,) = table.sections
    assert set(column(table, section, "gap p99").values()) == {NOTHING}
    assert any(remark.startswith("Not claimed: a gap's p99. It takes 299 independent observations") for remark in section.remarks)


def test_requests_without_text_are_told():
    empty = replace(reply(0, pace=PACE), times=(), tokens=0, rounds=(), drafted=0, accepted=0)
    nothing = replace(next(alone()), replies=(empty,), seconds=0.1, repeat=9)
    (table,) = report(*alone(), nothing).tables
    assert f"{PLAIN}: requests that brought no text, and count nowhere: 1." in table.sections[0].remarks


def test_texts_of_other_lengths_are_told():
    (alike,) = report(*alone(), *alone(engine="another")).tables
    assert not any("Not alike" in remark for remark in alike.sections[0].remarks)
    short = [
        run(Cell(ONE, "chat", 0.0), "another, no drafts", [reply(place, pace=PACE, tokens=20)], repeat=0, turn=0, engine="another")
        for place in range(PROMPTS)
    ]
    (table,) = report(*alone(), *short).tables
    (remark,) = [remark for remark in table.sections[0].remarks if "Not alike" in remark]
    assert remark.startswith(f"Not alike: texts of another, no drafts hold 20.0 tokens, those of {PLAIN} 24.0.")


def test_an_engine_that_does_not_tell_its_drafts_is_not_said_to_draft():
    runs = [replace(one, replies=(replace(one.replies[0], drafted=None, accepted=None),)) for one in alone(widths=(1,))]
    (table,) = report(*runs).tables
    assert column(table, table.sections[0], "kept")[lookup(1)] == "not told"


def test_a_service_is_told_slots_by_slots():
    (table,) = report(*served()).tables
    (section,) = table.sections
    assert table.kind == SERVICE
    assert [row.cells[1] for row in section.rows] == ["1", "1", "2", "2", "4", "4"]
    assert {row.cells[table.header.index("outside")] for row in section.rows} == {"10.0%"}
    assert [bool(row.cells[-1]) for row in section.rows] == [False, True] * 3
    speed_ups = [float(row.cells[-1].split()[0]) for row in section.rows if row.cells[-1]]
    assert speed_ups == sorted(speed_ups, reverse=True)


def test_the_tail_knows_no_speed_up_and_says_where_the_queue_grew():
    (table,) = report(*arriving(), limits=Limits(first=0.2, a_token=0.1)).tables
    (section,) = table.sections
    assert table.kind == TAIL
    assert "speed-up" not in table.header
    assert "first text within 200 ms, then a token each 100 ms" in table.note
    assert [row.cells[1] for row in section.rows] == ["0.1", "0.1", "2", "2"]
    grown = [remark for remark in section.remarks if "the queue grew to the end" in remark]
    assert len(grown) == 2
    assert all("at 2 a second" in remark for remark in grown)


def test_latencies_that_do_not_add_up_are_not_told():
    runs = [replace(one, seconds=2 * one.seconds) for one in arriving(rates=(0.1,))]
    (table,) = report(*runs).tables
    for row in table.sections[0].rows:
        assert set(row.cells[2:8]) == {NOTHING}
    assert all("latencies were not counted from the arrival" in remark for remark in table.sections[0].remarks)


def test_no_table_repeats_a_question_or_a_column_of_another():
    tables = with_everything().tables
    assert len({table.asked for table in tables}) == 3
    assert not {*tables[0].header[2:7]} & {*tables[2].header[2:]}


def test_equal_rates_of_a_service_have_no_best():
    cell = Cell(ONE, "chat", 0.0)
    same = [run(cell, f"{ENGINE}{letter}, no drafts", [reply(0, pace=PACE)], repeat=0, turn=0) for letter in "ab" for _ in range(PROMPTS)]
    (table,) = report(*same).tables
    assert all(not row.best for row in table.sections[0].rows)
