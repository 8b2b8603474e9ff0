"""How fast a contender is for one client: the numbers are those of a script whose numbers are known."""

import pytest

from draftproof.bench.quantiles import Quantile, TooFew
from draftproof.bench.rates import Rates, rates
from draftproof.bench.service import service

from .scripted import Scripted, drafting, plain, runs, runs_of, sitting


def of(contender: Scripted, **known: object) -> Rates:
    (found,) = rates(runs(contender, **known))
    return found


def test_the_rate_is_that_of_the_whole_request():
    found = of(plain())
    assert found.rate.value == pytest.approx(20 / 1.95)
    assert (found.requests, found.prompts, found.empty) == (40, 10, 0)


def test_after_the_first_burst_a_draft_counts_what_came_in_it():
    assert of(plain()).rate_after_first.value == pytest.approx(10.0)
    assert of(drafting()).rate_after_first.value == pytest.approx(20.0)
    assert of(drafting(tells=False)).rate_after_first.value == pytest.approx(20.0)


def test_the_first_burst_is_told_for_the_median_prompt():
    found = of(plain(noise=0.1)).first
    assert isinstance(found, Quantile)
    assert (found.worth, found.low < 0.05 < found.high) == (10, True)
    assert isinstance(of(plain(), prompts=5).first, TooFew)


def test_gaps_are_those_between_bursts():
    half, most, _ = of(drafting(), prompts=60).gaps
    assert (half.q, most.q) == (0.5, 0.95)
    assert (half.value, most.value) == pytest.approx((0.1, 0.1))


def test_gaps_of_few_prompts_are_not_many_observations():
    assert all(isinstance(each, TooFew) for each in of(plain(noise=0.1), prompts=5, repeats=50).gaps)
    assert of(plain(), prompts=10, repeats=50).gaps[1] == TooFew(0.95, 10, 59)


def test_requests_without_text_are_counted_apart():
    found = of(plain(length=lambda order, chance: 20 if order.seed else 0))
    assert (found.requests, found.prompts, found.empty) == (36, 9, 4)
    assert found.rate.value == pytest.approx(20 / 1.95)


def test_an_engine_that_emits_nothing_has_no_rate():
    found = of(plain(length=lambda order, chance: 0))
    assert (found.rate, found.rate_after_first, found.empty) == (None, None, 40)


def test_texts_of_one_burst_have_no_rate_after_it():
    assert of(plain(length=lambda order, chance: 1)).rate_after_first is None


def test_drafts_are_counted_where_the_engine_tells():
    assert (of(drafting()).drafted, of(drafting()).accepted, of(drafting()).tokens_a_burst) == (400, 400, 2.0)
    assert of(drafting(tells=False)).drafted is None


def test_a_service_is_in_no_table_of_one_request():
    assert rates(runs_of(service(sitting(plain()), (2,)))) == []
