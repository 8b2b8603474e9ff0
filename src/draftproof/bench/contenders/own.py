"""Our own engine: rounds over whatever has arrived; a finished request makes room for the next."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from draftproof.bench.contender import Delivery, Order, Round, Served
from draftproof.bench.contenders.arrivals import Clock, Start, by_arrival, check_slots
from draftproof.engine import Engine, Running
from draftproof.evidence.speed import PARTS
from draftproof.evidence.watch import Watch

SLOTS = 64
"""The cache grows as it is asked to; far more requests than this and a pass is no longer short."""


@dataclass(frozen=True)
class Own:
    """An engine of ours as a contender.

    Attributes:
        decoding: the engine.
        name, engine, drafts, slots: see `Contender`.
    """

    decoding: Engine
    name: str
    engine: str
    drafts: bool
    slots: int = SLOTS
    clock: Clock = field(default_factory=Clock)

    def serve(self, orders: Sequence[Order], slots: int = 1) -> Served:
        """See `Contender.serve`. Time without anything to decode belongs to no part."""
        check_slots(self, slots)
        watch = Watch()
        engine = self.decoding.with_decoder(watch.decoder(self.decoding.decoder))
        start, waiting, live = Start(self.clock), deque(by_arrival(orders)), list[_Request]()
        done: dict[int, Delivery] = {}
        while waiting or live:
            if not live:
                start.until(orders[waiting[0]].arrival)
            while waiting and len(live) < slots and orders[waiting[0]].arrival <= start.seconds():
                live.append(_begun(engine, watch, waiting[0], orders[waiting.popleft()]))
            steps = engine.decoder.step([request.running.session for request in live])
            at = start.seconds()
            for request, step in zip(live, steps, strict=True):
                request.running.add(step)
                request.times.append(at - request.order.arrival)
                if step.finish:
                    done[request.place] = request.delivery()
            live = [request for request in live if request.place not in done]
        seconds = start.seconds()
        return Served(tuple(done[place] for place in range(len(orders))), seconds, _parts(watch, seconds - start.slept))


@dataclass(frozen=True)
class _Request:
    """One order while it is decoded.

    Attributes:
        place: among the orders.
        times: of its rounds, in seconds after its arrival.
    """

    place: int
    order: Order
    running: Running
    times: list[float] = field(default_factory=list)

    def delivery(self) -> Delivery:
        found = self.running.completion
        rounds = tuple(Round(step.drafted, step.accepted) for step in found.steps)
        return Delivery(found.text, tuple(self.times), found.drafted, found.accepted, rounds)


def _begun(engine: Engine, watch: Watch, place: int, order: Order) -> _Request:
    wishes = engine.wishes({"temperature": order.temperature}, max_tokens=order.max_tokens)
    running = engine.start(order.prompt, order.seed, wishes)
    running.session.params = watch.sampling(running.session.params)
    return _Request(place, order, running)


def _parts(watch: Watch, seconds: float) -> dict[str, float]:
    parts = {part: watch.clock.seconds[part] for part in PARTS}
    return parts | {"rest": seconds - sum(parts.values())}
