"""What is timed: an engine with one way to draft, or with none, seen as its client sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable


@dataclass(frozen=True)
class Order:
    """One request. Every contender gets the same.

    Attributes:
        prompt: token ids, the chat template applied: one tokenizer reads the prompts of all.
        max_tokens: the text ends there, or earlier where the model ends it.
        temperature: 0 takes the likeliest token; no other rule of sampling is at work.
        seed: of the random numbers; what becomes of it is the engine's matter.
        arrival: seconds after the start at which the request is made, whether or not the engine is ready for it.
    """

    prompt: tuple[int, ...]
    max_tokens: int
    temperature: float
    seed: int
    arrival: float = 0.0


class Round(NamedTuple):
    """One pass of the target: how many tokens it was given to verify, and how many of them it kept."""

    drafted: int
    accepted: int


@dataclass(frozen=True)
class Delivery:
    """What became of one order. Times are seconds after its arrival, so waiting for a slot counts.

    Attributes:
        text: without the end of text; it is counted in tokens by one tokenizer for all engines.
        times: when each burst of text came, in rising order; empty if nothing came.
        drafted, accepted: tokens; None where the engine does not tell.
        rounds: each pass of the target after which something was emitted; empty where the engine does not tell.
    """

    text: str
    times: tuple[float, ...]
    drafted: int | None = None
    accepted: int | None = None
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True)
class Served:
    """What became of all orders of one run.

    Attributes:
        deliveries: in the order of the orders.
        seconds: wall clock from the start to the last delivery.
        parts: of these, seconds by part (`target`, `draft`, `sampling`, `verdict`, `rest`); empty where the engine does not tell.
    """

    deliveries: tuple[Delivery, ...]
    seconds: float
    parts: Mapping[str, float] = field(default_factory=dict)


@runtime_checkable
class Contender(Protocol):
    """An engine that was loaded and waits for orders.

    Attributes:
        name: unique among those compared: the engine, its arithmetic, and how it drafts.
        engine: the engine and its arithmetic alone. A contender that drafts is measured against the one of the same engine that does not.
        drafts: True if it is meant to draft.
        slots: the most orders that it serves at once.
    """

    @property
    def name(self) -> str: ...

    @property
    def engine(self) -> str: ...

    @property
    def drafts(self) -> bool: ...

    @property
    def slots(self) -> int: ...

    def serve(self, orders: Sequence[Order], slots: int = 1) -> Served:
        """Serve all orders, each from its arrival on, at most `slots` at once, first come, first served.

        Raises:
            BadRequest: more slots than the contender has.
            Unavailable: the engine stopped or refused.
        """
        ...
