"""Latency under arrivals that do not wait: counted from the arrival, claimed where it can be, and never from a growing queue."""

from dataclasses import replace

import numpy as np
import pytest

from draftproof.bench.quantiles import Quantile, TooFew, grouped_quantile, quantile
from draftproof.bench.run import Reply, Run
from draftproof.bench.tail import Limits, busy_periods, omission, tail, tails
from draftproof.errors import BadRequest

from .scripted import Scripted, drafting, plain, runs_of, sitting


def served(contender: Scripted, rate: float, *, slots: int = 1, requests: int = 100, **known: object) -> list[Run]:
    return runs_of(tail(sitting(contender, **known), (rate,), slots=slots, requests=requests))


class TestArrivals:
    def heats(self, **known: object):
        return tail(sitting(plain(), drafting(), seed=3, **known), (0.5, 2.0), requests=200)

    def test_are_the_same_for_all_contenders(self):
        contenders = plain(), drafting()
        runs_of(tail(sitting(*contenders), (1.0,), requests=20))
        assert contenders[0].served == contenders[1].served

    def test_come_at_the_rate_with_gaps_as_random_as_poisson(self):
        from scipy.stats import kstest

        for heat in self.heats():
            gaps = np.concatenate([np.diff([0.0, *(order.arrival for order in batch.orders)]) for (batch,) in heat.repeats])
            assert len(gaps) == 800
            assert kstest(gaps * heat.cell.rate, "expon").pvalue > 0.01

    def test_are_others_in_every_repeat_and_the_same_at_every_rate_but_for_the_pace(self):
        slow, fast = self.heats()
        assert len({batch.orders[0].arrival for (batch,) in slow.repeats}) == 4
        assert [order.arrival for order in slow.repeats[0][0].orders] == pytest.approx(
            [4 * order.arrival for order in fast.repeats[0][0].orders]
        )
        assert [order.prompt for order in slow.repeats[0][0].orders] == [order.prompt for order in fast.repeats[0][0].orders]

    def test_are_not_waited_for_in_the_warm_up(self):
        contender = plain()
        served(contender, 0.01, requests=5)
        assert [order.arrival for order in contender.served[0][0]] == [0.0]

    @pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
    def test_at_no_rate_are_refused(self, rate):
        with pytest.raises(BadRequest, match=r"arrivals a second are asked for; give a number above 0"):
            tail(sitting(plain()), (rate,))

    def test_of_no_requests_are_refused(self):
        with pytest.raises(BadRequest, match="0 requests are asked for; it takes at least 1"):
            tail(sitting(plain()), (1.0,), requests=0)


def reply(arrival: float, seconds: float, *, first: float | None = None, tokens: int = 2) -> Reply:
    times = (seconds if first is None else first, seconds)
    return Reply(0, 0, 1, tokens, arrival, times, None, None, (), "")


class TestAnEngineThatStalls:
    """It takes 60 seconds longer for the first request, while others come every ten seconds."""

    def run(self, *, honest: bool) -> Run:
        return served(plain(stall=60.0, honest=honest), 0.1, repeats=1, requests=20)[0]

    def test_makes_those_wait_that_came_meanwhile(self):
        waited = [reply.first for reply in self.run(honest=True).replies[1:]]
        assert sum(each > 5 for each in waited) >= 3
        assert omission(self.run(honest=True)) == ""

    def test_seems_quick_to_a_client_that_waits_before_it_asks(self):
        run = self.run(honest=False)
        assert all(reply.first == pytest.approx(0.05) for reply in run.replies[1:])
        assert "while 1 earlier ones filled the slots" in omission(run)

    def test_has_no_quantile_where_latencies_were_counted_so(self):
        (found,) = tails([self.run(honest=False)])
        assert found.reason == omission(self.run(honest=False))
        assert all(isinstance(each, TooFew) for each in (*found.first, *found.whole))
        assert found.goodput == 0, "of no request is it known that it kept a limit"

    def test_at_the_end_is_seen_on_the_wall_clock(self):
        run = served(plain(honest=False), 20.0, repeats=1, requests=20)[0]
        assert "its last latency ends" in omission(run)


class TestARequestWithoutText:
    def run(self, seconds: float, last: float = 18.0) -> Run:
        found = served(plain(), 0.25, repeats=1, requests=5)[0]
        replies = [reply(arrival, 1.0) for arrival in (0.0, 4.0, 9.0, 13.0)]
        return replace(found, seconds=seconds, replies=(*replies, Reply(0, 0, 1, 0, last, (), 0, 0, (), "")))

    def test_at_the_end_accuses_nobody(self):
        assert omission(self.run(18.9)) == ""
        assert omission(self.run(19.5)) == ""

    def test_does_not_hide_waits_that_were_left_out(self):
        assert "its last latency ends 19.00 s after the start" in omission(self.run(40.0))
        assert "its last latency ends 14.00 s after the start" in omission(self.run(40.0, last=1.0))

    def test_is_all_there_is(self):
        run = self.run(18.9)
        assert omission(replace(run, replies=run.replies[-1:])) == ""


class TestSlots:
    def test_let_as_many_overlap_as_there_are(self):
        assert omission(served(plain(), 1.5, slots=4, repeats=1)[0]) == ""

    def test_let_no_more_overlap(self):
        run = served(plain(), 1.5, slots=4, repeats=1)[0]
        assert omission(replace(run, slots=1)) != ""


class TestBusyPeriods:
    def test_end_where_nothing_is_left_to_do(self):
        replies = [reply(0.0, 2.0), reply(1.0, 2.0), reply(3.0, 1.0), reply(3.5, 0.1), reply(9.0, 1.0)]
        assert [[each.arrival for each in period] for period in busy_periods(replies)] == [[0.0, 1.0], [3.0, 3.5], [9.0]]

    def test_leave_out_what_emitted_nothing(self):
        assert busy_periods([Reply(0, 0, 1, 0, 0.0, (), None, None, (), "")]) == []

    def test_make_quantiles_whose_intervals_hold_the_truth_in_a_queue(self):
        """One server at seven tenths of its capacity: the latency is exponential, and requests that follow each other depend on each
        other."""
        rng = np.random.default_rng(7)
        truth, grouped, naive = np.log(2) / 0.3, [], []
        for _ in range(80):
            arrivals, end, replies = rng.exponential(1 / 0.7, 500).cumsum(), 0.0, []
            for arrival, needed in zip(arrivals, rng.exponential(1.0, 500), strict=True):
                end = max(arrival, end) + needed
                replies.append(reply(float(arrival), float(end - arrival)))
            grouped.append(grouped_quantile([[each.seconds for each in period] for period in busy_periods(replies)], 0.5))
            naive.append(quantile([each.seconds for each in replies], 0.5))
        assert np.mean([each.low <= truth <= each.high for each in grouped]) > 0.88
        assert np.mean([each.low <= truth <= each.high for each in naive]) < 0.6


class TestTails:
    def test_claim_a_p99_from_enough_requests_alone(self):
        (few,) = tails(served(plain(), 0.01, repeats=1, requests=100))
        (many,) = tails(served(plain(), 0.01, repeats=4, requests=100))
        assert [type(each) for each in few.whole] == [Quantile, Quantile, TooFew]
        assert few.whole[2].needed == 299
        assert [type(each) for each in many.whole] == [Quantile, Quantile, Quantile]
        assert many.first[0].value == pytest.approx(0.05)
        assert many.whole[0].value == pytest.approx(1.95)

    @pytest.mark.parametrize(("rate", "grows"), [(0.1, False), (0.35, False), (0.7, True), (5.0, True)])
    def test_see_a_queue_that_grows(self, rate, grows):
        (found,) = tails(served(plain(), rate, requests=200))
        assert found.saturated == grows

    def test_of_a_growing_queue_claim_nothing(self):
        (found,) = tails(served(plain(), 5.0, requests=200))
        assert all(isinstance(each, TooFew) for each in found.whole)
        assert found.backlog > 0.8

    def test_count_what_kept_the_limits_in_each_second(self):
        (found,) = tails(served(plain(), 0.01), Limits(first=0.1, a_token=0.11))
        assert found.goodput == pytest.approx(0.01, rel=0.2)
        assert tails(served(plain(), 0.01), Limits(first=0.1, a_token=0.09))[0].goodput == 0
        assert tails(served(plain(), 0.01), Limits(first=0.04))[0].goodput == 0

    def test_count_fewer_of_them_when_requests_wait(self):
        found = [tails(served(plain(), rate), Limits(first=1.0))[0] for rate in (0.1, 0.5, 5.0)]
        assert found[0].goodput > 0.8 * 0.1
        assert found[2].goodput < 0.05 < 5.0, "more requests, fewer good ones"

    def test_say_whose_law_it_is(self):
        (found,) = tails(served(plain(), 0.1))
        assert found.law == "sittings like this one, which begin with an empty queue"

    def test_of_no_time_and_of_no_requests_are_no_good_requests(self):
        run = served(plain(), 0.1, repeats=1)[0]
        assert tails([replace(run, seconds=0.0)])[0].goodput == 0.0
        assert tails([replace(run, replies=())]) == []
        assert tails([run, replace(run, replies=())]) == tails([run])

    def test_hold_requests_without_text_for_no_good_ones(self):
        (found,) = tails(served(plain(length=lambda order, chance: 0), 0.1))
        assert (found.requests, found.empty, found.goodput) == (400, 400, 0.0)
