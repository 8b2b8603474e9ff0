"""Orders in time: when each arrives, and when it is served."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from draftproof.bench.contender import Contender, Delivery, Order, Served
from draftproof.errors import BadRequest


@dataclass(frozen=True)
class Clock:
    """Where a run reads the time, and how it waits.

    Attributes:
        now: seconds, from any beginning.
        sleep: returns so many seconds later, or a little more.
    """

    now: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], None] = time.sleep


class Start:
    """The moment at which a run began.

    Attributes:
        slept: seconds spent in `until`, with nothing to do.
    """

    def __init__(self, clock: Clock) -> None:
        self.slept = 0.0
        self._clock, self._began = clock, clock.now()

    def seconds(self, after: float = 0.0) -> float:
        """Seconds since the start, or since `after` seconds after it."""
        return self._clock.now() - self._began - after

    def until(self, seconds: float) -> None:
        """Return no earlier than so many seconds after the start."""
        began = now = self.seconds()
        while now < seconds:
            self._clock.sleep(seconds - now)
            now = self.seconds()
        self.slept += now - began


def by_arrival(orders: Sequence[Order]) -> list[int]:
    """The places of all orders, first come, first served."""
    return sorted(range(len(orders)), key=lambda place: orders[place].arrival)


def check_slots(contender: Contender, slots: int) -> None:
    """Return if the contender can serve so many orders at once.

    Raises:
        BadRequest: it cannot.
    """
    if not 1 <= slots <= contender.slots:
        raise BadRequest(f"slots is {slots}; {contender.name} serves from 1 to {contender.slots} orders at once")


def one_by_one(orders: Sequence[Order], answer: Callable[[Order, Callable[[], float]], Delivery], clock: Clock) -> Served:
    """All orders served one after another, none before it arrives.

    Args:
        answer: serves one order; it is given what tells the seconds since that order's arrival.
    """
    start = Start(clock)
    deliveries: dict[int, Delivery] = {}
    for place in by_arrival(orders):
        order = orders[place]
        start.until(order.arrival)
        deliveries[place] = answer(order, partial(start.seconds, order.arrival))
    return Served(tuple(deliveries[place] for place in range(len(orders))), start.seconds())
