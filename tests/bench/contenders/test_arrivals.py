"""No order is served before it arrives, and none overtakes another."""

from collections.abc import Callable

import pytest

from draftproof.bench.contender import Contender, Delivery, Order, Served
from draftproof.bench.contenders.arrivals import Clock, Start, by_arrival, check_slots, one_by_one
from draftproof.errors import BadRequest

from .conftest import TICK, Pretended


def order(arrival: float, seed: int = 0) -> Order:
    return Order((1,), 1, 0.0, seed, arrival)


class TestAStart:
    def test_tells_the_seconds_since_it_and_since_what_came_after_it(self, pretended: Pretended) -> None:
        start = Start(pretended.clock)
        assert start.seconds() == TICK
        assert start.seconds(after=5) == 2 * TICK - 5

    def test_is_waited_after_and_the_wait_is_told(self, pretended: Pretended) -> None:
        start = Start(pretended.clock)
        start.until(30)
        assert start.seconds() >= 30
        assert sum(pretended.slept) == pytest.approx(30, abs=5 * TICK)
        assert start.slept == pytest.approx(30, abs=5 * TICK)

    def test_is_not_waited_after_for_what_is_past(self, pretended: Pretended) -> None:
        Start(pretended.clock).until(0)
        assert not pretended.slept

    def test_a_sleep_that_is_too_short_is_followed_by_another(self, pretended: Pretended) -> None:
        start = Start(Clock(pretended.now, lambda seconds: pretended.sleep(seconds / 2)))
        start.until(64)
        assert start.seconds() >= 64
        assert len(pretended.slept) > 1


def test_orders_are_taken_as_they_arrive_and_those_of_one_moment_as_they_stand() -> None:
    assert by_arrival([order(3), order(0), order(1), order(0)]) == [1, 3, 2, 0]


class TestOneByOne:
    def test_none_is_begun_before_its_arrival_and_waiting_counts(self, pretended: Pretended) -> None:
        begun: list[tuple[int, float]] = []

        def answer(order: Order, since: Callable[[], float]) -> Delivery:
            begun.append((order.seed, since()))
            pretended.time += 50  # the work
            return Delivery(str(order.seed), (since(),), 0, 0)

        served = one_by_one([order(200, 0), order(0, 1), order(10, 2)], answer, pretended.clock)
        assert [delivery.text for delivery in served.deliveries] == ["0", "1", "2"]
        assert [seed for seed, _ in begun] == [1, 2, 0]
        assert all(since >= 0 for _, since in begun)
        waited = dict(begun)
        assert waited[2] >= 40  # the first was still at work when it arrived
        assert waited[0] < 10
        assert served.seconds > 250
        assert len(pretended.slept) == 1

    def test_no_orders_take_no_time(self, pretended: Pretended) -> None:
        assert one_by_one([], lambda order, since: Delivery("", ()), pretended.clock) == Served((), TICK)


class Two:
    name, engine, drafts, slots = "the engine", "the", False, 2

    def serve(self, orders: object, slots: int = 1) -> Served:
        raise NotImplementedError


@pytest.mark.parametrize("slots", [0, 3])
def test_slots_that_a_contender_does_not_have_are_refused(slots: int) -> None:
    two = Two()
    assert isinstance(two, Contender)
    check_slots(two, 1)
    check_slots(two, 2)
    with pytest.raises(BadRequest, match=rf"slots is {slots}; the engine serves from 1 to 2 orders at once"):
        check_slots(two, slots)
