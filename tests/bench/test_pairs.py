"""Pairs of runs: which stand beside each other, and how fast drafts can have made them."""

from dataclasses import replace

import pytest

from draftproof.bench.pairs import Pair, grouped, paired, speed_up
from draftproof.bench.run import Run
from draftproof.bench.service import service

from .scripted import Scripted, drafting, plain, runs, runs_of, sitting


def pairs(found: list[Run]) -> list[Pair]:
    return list(paired([run for run in found if run.drafts], [run for run in found if not run.drafts]))


def first(*contenders: Scripted) -> Pair:
    return pairs(runs(*contenders))[0]


def untold(pair: Pair, **known: int | None) -> Pair:
    return pair._replace(
        drafting=replace(pair.drafting, replies=tuple(replace(each, rounds=(), **known) for each in pair.drafting.replies))
    )


class TestTheCeiling:
    """Twenty tokens and an end of text."""

    def test_is_tokens_a_round(self):
        assert first(plain(), drafting()).ceiling == pytest.approx(21 / 10)

    def test_is_known_by_what_was_accepted_where_rounds_are_not_told(self):
        assert untold(first(plain(), drafting()), accepted=15).ceiling == pytest.approx(21 / 5)

    def test_is_tokens_a_burst_where_nothing_is_told(self):
        assert untold(first(plain(), drafting()), accepted=None).ceiling == pytest.approx(2.0)
        assert untold(first(plain(emits=2), drafting(emits=4)), accepted=None).ceiling == pytest.approx(2.0), "over those without a draft"


def test_groups_are_prompts_or_repeats_of_a_service_and_leave_out_what_emitted_nothing():
    assert list(map(len, grouped(pairs(runs(plain(), drafting(), prompts=3))))) == [4, 4, 4]
    assert list(map(len, grouped(pairs(runs_of(service(sitting(plain(), drafting()), (4,))))))) == [1, 1, 1, 1]
    silent = drafting(length=lambda order, chance: 20 if order.seed else 0)
    assert len(grouped(pairs(runs(plain(), silent, prompts=3)))) == 2


def test_a_speed_up_is_that_of_the_whole_workload():
    lengths = {"length": lambda order, chance: 10 * len(order.prompt)}
    found = speed_up(grouped(pairs(runs(plain(**lengths), drafting(**lengths), prompts=2))), lambda pair: pair.ratio)
    assert found.value == pytest.approx((1.95 + 2.95) / (0.95 + 1.45))
