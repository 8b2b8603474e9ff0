"""Every row waits for its pass, and each text pays for what is its own."""

import pytest

from draftproof.bench.charge import drafted_ms, plain_ms
from draftproof.bench.contender import Round
from draftproof.bench.costs import Costs
from draftproof.bench.replay import Pass, Row, Text
from draftproof.models.cost import PassCost
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits

COSTS = Costs(PassCost(((2, 20.0), (4, 24.0), (8, 32.0)), least_rows=2), round_ms=1.0, token_ms=0.5)


def text(length):
    return Text((0,), tuple(range(length)), 0, Verbatim(), Limits(length))


def test_alone_a_text_takes_its_rounds():
    passes = [Pass((Row(0, Round(3, 2), True),), 2.0), Pass((Row(0, Round(0, 0), False),), 0.0)]
    assert drafted_ms(passes, COSTS, [7.0], entries=1).tolist() == [7 + (24 + 2 + 1 + 1.5) + (20 + 1 + 0.5)]
    assert plain_ms([text(4)], COSTS, [7.0], entries=1, batch=1).tolist() == [7 + 4 * 21.5]


def test_in_company_it_takes_its_part_of_all_rows():
    passes = [Pass((Row(0, Round(0, 0), True), Row(1, Round(3, 0), True)), 0.0)]
    shared = COSTS.target.total_ms(2 + 4) / 2
    assert drafted_ms(passes, COSTS, [5.0, 0.0], entries=2).tolist() == [shared + 1.5 + 5, shared + 1.5]
    assert plain_ms([text(3), text(1)], COSTS, [5.0, 0.0], entries=2, batch=2).tolist() == [3 * 13.5 + 5, 13.5]


def test_a_text_that_comes_again_is_charged_again_and_company_is_not_counted():
    passes = [Pass(tuple(Row(entry, Round(0, 0), False) for entry in range(4)), 0.0)]
    share = 32 / 4 + 1.5
    assert drafted_ms(passes, COSTS, [0.0, 0.0], entries=4).tolist() == [2 * share, 2 * share]
    assert drafted_ms(passes, COSTS, [0.0, 0.0], entries=3).tolist() == [2 * share, share]
    assert plain_ms([text(1), text(1)], COSTS, [0.0, 0.0], entries=4, batch=4) == pytest.approx([2 * share, 2 * share])


def test_passes_that_change_their_rows_are_charged_to_the_pass_after():
    costs = Costs(PassCost(((2, 20.0), (8, 20.0), (9, 30.0), (16, 30.0)), least_rows=2, steps=(8, 16), change_ms=3.0))
    passes = [Pass((Row(entry, Round(drafted, 0), False),), 0.0) for entry, drafted in enumerate((0, 9, 9, 1))]
    assert drafted_ms(passes, costs, [0.0] * 4, entries=4).tolist() == [20, 33, 30, 23]


def test_without_a_draft_both_are_the_same():
    passes = [Pass((Row(0, Round(0, 0), place == 0),), 0.0) for place in range(6)]
    assert drafted_ms(passes, COSTS, [9.0], entries=1) == pytest.approx(plain_ms([text(6)], COSTS, [9.0], entries=1, batch=1))
