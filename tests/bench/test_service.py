"""Throughput: all at once, so many at a time."""

from dataclasses import replace

import pytest

from draftproof.bench.service import CYCLES, SLOTS, outside, service, share, throughputs

from .scripted import drafting, plain, runs_of, sitting

PARTS = {"target": 0.7, "draft": 0.2, "sampling": 0.05, "rest": 0.05}


def test_slots_are_kept_busy_by_the_prompts_again_and_again_with_other_seeds():
    heat = next(heat for heat in service(sitting(plain(), prompts=10)) if heat.cell.slots == 16)
    (batch,), *_ = heat.repeats
    assert len(batch.orders) == CYCLES * 16
    assert batch.places == tuple(place % 10 for place in range(48))
    assert len({order.seed for order in batch.orders}) == 48
    assert all(order.arrival == 0 for order in batch.orders)


def test_repeats_are_equal_work():
    heat = service(sitting(plain()), (4,))[0]
    assert len(set(heat.repeats)) == 1


def test_all_prompts_are_asked_however_few_slots_there_are():
    assert [len(heat.repeats[0][0].orders) for heat in service(sitting(plain(), prompts=10), (1, 2))] == [10, 10]


def test_a_contender_takes_part_where_it_has_the_slots():
    heats = service(sitting(plain(slots=4), drafting(slots=1)))
    assert [(heat.cell.slots, len(heat.contenders)) for heat in heats] == [(1, 2), (2, 1), (4, 1)]
    assert SLOTS == (1, 2, 4, 8, 16)


def test_turns_go_there_and_back():
    found = runs_of(service(sitting(plain(), drafting(), repeats=3), (2,)))
    assert [run.drafts for run in found] == [False, True, True, False, False, True]


def test_slots_are_out_of_step_from_the_start():
    (batch,), *_ = next(heat for heat in service(sitting(plain(), prompts=10)) if heat.cell.slots == 4).repeats
    whole = batch.orders[-1].max_tokens
    assert [order.max_tokens for order in batch.orders] == [-(-whole * part // 4) for part in (1, 2, 3, 4)] + [whole] * 8


def test_the_warm_up_is_all_that_is_measured():
    contender = plain()
    runs_of(service(sitting(contender), (4,)))
    assert [(len(orders), slots) for orders, slots in contender.served] == [(12, 4)] * 5


def test_throughput_is_tokens_a_second_of_all_orders():
    found = throughputs(runs_of(service(sitting(plain(), drafting()), (1, 4))))
    assert [(each.contender, each.cell.slots, each.orders) for each in found] == [
        ("toy plain", 1, 10),
        ("toy drafting", 1, 10),
        ("toy plain", 4, 12),
        ("toy drafting", 4, 12),
    ]
    assert [each.rate.value for each in found] == pytest.approx([20 / 1.95, 20 / 0.95, 80 / 1.95, 80 / 0.95])
    assert (found[3].drafted, found[3].accepted, found[3].repeats) == (480, 480, 4)


def test_what_is_no_pass_of_the_target_is_outside():
    found = runs_of(service(sitting(drafting(parts=PARTS)), (4,)))
    assert outside(found) == pytest.approx(0.3)
    assert share(found, "draft") == pytest.approx(0.2)
    assert throughputs(found)[0].outside == pytest.approx(0.3)


def test_what_an_engine_does_not_tell_is_not_known():
    found = runs_of(service(sitting(plain()), (4,)))
    assert outside(found) is None
    assert share([], "draft") is None


def test_no_time_has_no_shares():
    run = runs_of(service(sitting(drafting(parts=PARTS)), (4,)))[0]
    assert outside([replace(run, seconds=0.0)]) is None
    assert throughputs([replace(run, seconds=0.0, replies=())])[0].rate is None


def test_an_engine_that_emits_nothing_has_no_rate():
    assert throughputs(runs_of(service(sitting(plain(length=lambda order, chance: 0)), (2,))))[0].rate is None
