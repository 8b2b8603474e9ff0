"""A running server that speaks the OpenAI completions API, by its address.

A prompt goes out as token ids and the answer comes as a stream. The server is not ours: how many requests it takes at once and whether
it drafts is what its operator says.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any
from uuid import uuid4

from draftproof.audit.engines.counters import counters
from draftproof.audit.engines.request_fields import spoken
from draftproof.audit.engines.side_by_side import side_by_side
from draftproof.audit.engines.wire import Wire, choices
from draftproof.bench.contender import Delivery, Order, Served
from draftproof.bench.contenders.arrivals import Clock, Start, by_arrival, check_slots
from draftproof.errors import BadRequest, Unavailable
from draftproof.sampling.params import SamplingParams

SLOTS = 64

SEEDS = 2**32 - 1
"""Of llama.cpp, to which this very number means a random one."""

BURST_S = 1e-3
"""Some servers send an event for every token, also where a round kept several: they come within this time, and no pass is as short."""

UNCACHED: dict[str, Callable[[], dict[str, Any]]] = {
    "llamacpp": lambda: {"cache_prompt": False},
    "openai": dict,
    "vllm": lambda: {"cache_salt": uuid4().hex},
}
"""By dialect, what has a prompt read from its beginning, as every other engine must. A benchmark repeats its prompts."""


@dataclass(frozen=True)
class Url:
    """A server as a contender.

    Attributes:
        wire: to the server.
        model: its name there.
        name, engine, drafts, slots: see `Contender`.
        dialect: of its sampling rules: openai, vllm or llamacpp.
    """

    wire: Wire
    model: str
    name: str
    engine: str
    drafts: bool = False
    slots: int = SLOTS
    dialect: str = "openai"
    clock: Clock = field(default_factory=Clock)

    def serve(self, orders: Sequence[Order], slots: int = 1) -> Served:
        """See `Contender.serve`. Each slot is a thread that waits for the next order to arrive, and then for its answer.

        Raises:
            BadRequest: more slots than the contender has.
            Unavailable: the server failed or refused; the message says at which order.
        """
        check_slots(self, slots)
        start = Start(self.clock)

        def answer(place: int, enough: Event) -> tuple[int, Delivery]:
            order = orders[place]
            start.until(order.arrival)
            stream = _Stream(lambda: start.seconds(order.arrival))
            try:
                for message in self.wire.stream("/completions", self._body(order)):
                    stream.take(message)
                    if enough.is_set():
                        break
            except (BadRequest, Unavailable) as error:
                raise Unavailable(f"order {place + 1} of {len(orders)} to {self.name} was not served: {error}") from error
            return place, self._delivery(stream)

        done = dict(side_by_side(by_arrival(orders), answer, workers=slots))
        return Served(tuple(done[place] for place in range(len(orders))), start.seconds())

    def _body(self, order: Order) -> dict[str, Any]:
        rules = spoken(SamplingParams(dialect=self.dialect, temperature=order.temperature))
        return {
            **rules,
            **UNCACHED[self.dialect](),
            "model": self.model,
            "prompt": list(order.prompt),
            "max_tokens": order.max_tokens,
            "seed": order.seed % SEEDS,
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def _delivery(self, stream: "_Stream") -> Delivery:
        told = stream.counted or ((0, 0) if self.dialect == "llamacpp" else (None, None))  # llama.cpp counts no drafts where it made none
        return Delivery(stream.text, tuple(stream.times), *told)


@dataclass
class _Stream:
    """What has come of one answer so far."""

    since: Callable[[], float]
    text: str = ""
    times: list[float] = field(default_factory=list)
    counted: tuple[int, int] | None = None
    _burst: float = float("-inf")

    def take(self, message: Mapping[str, Any]) -> None:
        """Add one event.

        Raises:
            Unavailable: an event that is none of this API.
        """
        for choice in choices(message)[:1]:
            text = choice.get("text") or ""
            if not isinstance(text, str):
                raise Unavailable("the server answered with a choice whose text is of another type")
            self.text += text
            if text or choice.get("finish_reason"):
                self._came()
        self.counted = counters(message) or self.counted

    def _came(self) -> None:
        """Something came: one more burst, or more of the last one."""
        at = self.since()
        if at - self._burst < BURST_S:
            self.times[-1] = at
        else:
            self._burst = at
            self.times.append(at)
