"""The ratio pair by pair, its interval, and that it is not there where something speaks against it."""

from dataclasses import replace

import numpy as np
import pytest

from draftproof.bench.cell import Cell
from draftproof.bench.compare import Comparison, compare
from draftproof.bench.service import service
from draftproof.bench.totals import Estimate

from .scripted import Scripted, drafting, plain, runs, runs_of, sitting


def test_the_speed_up_is_how_much_sooner_the_whole_workload_is_done():
    (found,) = compare(
        runs(plain(length=lambda order, chance: 10 * len(order.prompt)), drafting(length=lambda order, chance: 10 * len(order.prompt)))
    )
    lengths = [10 * (place + 2) for place in range(10)]
    without, with_draft = sum(0.1 * length - 0.05 for length in lengths), sum(0.1 * length / 2 - 0.05 for length in lengths)
    assert found.speed_up.value == pytest.approx(without / with_draft)
    assert found.speed_up.low < found.speed_up.value < found.speed_up.high
    assert (found.cell, found.engine, found.drafting, found.plain) == (Cell("one", "letters", 0.0), "toy", "toy drafting", "toy plain")
    assert (len(found.pairs), found.groups, found.same_texts, found.refusals) == (40, 10, 1.0, ())


def test_repeats_make_no_new_prompts():
    few, many = (compare(runs(plain(length=by_prompt), drafting(length=by_prompt), repeats=repeats))[0] for repeats in (2, 20))
    assert few.speed_up.low == pytest.approx(many.speed_up.low)


def by_prompt(order, chance):
    return 3 * len(order.prompt)


def test_a_run_that_stalls_has_no_say():
    found = runs(plain(), drafting(), repeats=5, prompts=10)
    place = next(place for place, run in enumerate(found) if run.drafts)
    stalled = [*found[:place], replace(found[place], seconds=2 * found[place].seconds), *found[place + 1 :]]
    assert compare(stalled)[0].noise > 0.05
    assert compare(stalled)[0].speed_up.value == pytest.approx(compare(found)[0].speed_up.value)


def test_a_machine_that_slows_down_slows_both():
    found = runs(plain(), drafting(), repeats=5)
    slowing = [replace(run, seconds=run.seconds * 1.002**run.turn) for run in found]
    assert compare(slowing)[0].speed_up.value == pytest.approx(compare(found)[0].speed_up.value, rel=0.003)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    found = [
        compare(
            runs(*(replace(each, name=f"{each.name} {seed}") for each in (plain(noise=0.05), drafting(noise=0.05))), repeats=3, prompts=6)
        )
        for seed in range(150)
    ]
    truth = compare(runs(plain(), drafting(), prompts=6))[0].speed_up.value
    held = np.mean([each.speed_up.low <= truth <= each.speed_up.high for (each,) in found])
    assert held >= 0.9


def test_texts_of_other_lengths_are_compared_by_the_token():
    even = {"length": lambda order, chance: 2 * chance.randint(40, 60), "wanders": True, "first": 0.1}
    (found,) = compare(runs(plain(**even), drafting(**even), prompts=20, max_tokens=200))
    assert found.refusals == ()
    assert found.speed_up.value == pytest.approx(2.0, rel=0.03)


@pytest.mark.parametrize(
    ("contenders", "sentence"),
    [
        ((plain(), drafting(emits=1)), "nothing was drafted"),
        ((plain(noise=0.4), drafting(noise=0.4)), "the machine was too noisy"),
        ((plain(length=lambda order, chance: 40), drafting()), "the lengths of texts follow another law"),
        ((drafting(),), "the engine was not measured without a draft"),
        ((Scripted("other", engine="other"), drafting()), "the engine was not measured without a draft"),
    ],
)
def test_what_speaks_against_it_leaves_no_number(contenders, sentence):
    (found,) = compare(runs(*contenders))
    assert len(found.refusals) == 1
    assert found.refusals[0].startswith(sentence)
    assert found.speed_up is None


def test_a_number_beside_a_refusal_cannot_be_built():
    (found,) = compare(runs(plain(), drafting()))
    with pytest.raises(AssertionError):
        replace(found, refusals=("the machine was too noisy",))
    with pytest.raises(AssertionError):
        replace(found, speed_up=None)
    assert isinstance(replace(found, refusals=("the machine was too noisy",), speed_up=None), Comparison)


def test_every_drafting_contender_is_held_against_its_own_engine():
    found = compare(runs(plain(), Scripted("slow", engine="slow", pace=1.0), drafting(), drafting(name="slow drafting", engine="slow")))
    assert [(each.drafting, each.plain) for each in found] == [("toy drafting", "toy plain"), ("slow drafting", "slow")]


def test_every_cell_is_compared_by_itself():
    found = compare(runs(plain(), drafting(), temperatures=(0.0, 0.8)))
    assert [each.cell.temperature for each in found] == [0.0, 0.8]


def test_noise_is_that_of_the_side_where_it_is_larger():
    (found,) = compare(runs(plain(noise=0.01), drafting(noise=0.08), prompts=40))
    assert found.noise == pytest.approx(0.083, rel=0.15), "exp(0.08) - 1"


def test_noise_is_seen_though_no_text_comes_twice():
    (found,) = compare(runs(plain(), drafting(noise=0.4, wanders=True)))
    assert [reason for reason in found.refusals if reason.startswith("the machine was too noisy")]


def test_noise_is_not_known_of_orders_that_were_served_once():
    (found,) = compare(runs(plain(), drafting(), repeats=1))
    assert found.noise is None
    assert found.refusals[0].startswith("no two runs did equal work")


def test_two_contenders_that_do_not_draft_leave_no_number():
    (found,) = compare(runs(plain(), plain(name="toy at its best", pace=0.09), drafting()))
    assert found.plain == "toy plain"
    assert found.refusals == ("2 contenders of this engine do not draft, and each gives another ratio: toy plain and toy at its best",)


class TestService:
    def test_is_compared_over_repeats(self):
        found = compare(runs_of(service(sitting(plain(noise=0.02), drafting(noise=0.02)), (1, 4))))
        assert [(each.cell.slots, each.groups, len(each.pairs)) for each in found] == [(1, 4, 4), (4, 4, 4)]
        assert all(each.speed_up.low < 1.95 / 0.95 < each.speed_up.high for each in found)

    def test_with_few_repeats_is_refused(self):
        (found,) = compare(runs_of(service(sitting(plain(), drafting(), repeats=2), (4,))))
        assert found.refusals == ("2 repeats were measured in pairs, and an interval takes 3",)


def test_one_prompt_alone_has_an_estimate_without_interval_only_where_it_is_not_refused():
    (found,) = compare(runs(plain(), drafting(), prompts=1))
    assert found.speed_up is None
    assert isinstance(compare(runs(plain(), drafting(), prompts=3))[0].speed_up, Estimate)
