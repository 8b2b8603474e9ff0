"""Engines of which everything is known, in a time of their own: no clock is read, and nobody waits."""

import heapq
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from draftproof.bench.contender import Delivery, Order, Round, Served
from draftproof.bench.measure import Heat, Sitting, Withdrawn, measured, one_request
from draftproof.bench.run import Run
from draftproof.bench.workloads import Prompt, Workload
from draftproof.errors import BadRequest, Unavailable
from draftproof.models.language import LanguageModel
from draftproof.models.table import TableModel
from draftproof.vocabulary import Vocabulary


class Words:
    """A tokenizer to which every word is a token. Its chats begin with `user:`."""

    vocabulary = Vocabulary((b"a", b"b"))
    end_tokens = frozenset({0})

    def encode(self, text: str) -> list[int]:
        return [len(word) for word in text.split()]

    def chat(self, message: str) -> str | None:
        return f"user: {message}"


@cache
def reader() -> LanguageModel:
    return LanguageModel("words", TableModel(np.full((2, 2, 2), 0.5)), Words(), 1000)


def workload(prompts: int = 10, name: str = "letters") -> Workload:
    """Prompts of 1, 2, 3 ... words."""
    return Workload(name, "letters", False, tuple(Prompt(f"p{place}", "so " * (place + 1)) for place in range(prompts)))


def twenty(order: Order, chance: random.Random) -> int:
    return 20


@dataclass
class Scripted:
    """An engine that takes `first` seconds for a prompt and `pace` seconds for each pass, of which every one emits `emits` tokens.

    Attributes:
        length: of the text on an order, in words.
        noise: one standard deviation of the logarithm of a request's seconds.
        tells: whether it says what it drafted.
        wanders: whether its texts differ from one run to the next.
        stall: seconds by which its very first request of a run takes longer.
        honest: whether latencies are counted from the arrival, or from when an order was taken up.
        refuses: numbers of runs, from 0, in which it is not there.
        served: the orders of each run so far, with its slots.
    """

    name: str = "toy"
    engine: str = "toy"
    drafts: bool = False
    slots: int = 64
    first: float = 0.05
    pace: float = 0.1
    emits: int = 1
    length: Callable[[Order, random.Random], int] = twenty
    noise: float = 0.0
    tells: bool = True
    wanders: bool = False
    stall: float = 0.0
    honest: bool = True
    refuses: Iterable[int] = ()
    parts: dict[str, float] = field(default_factory=dict)
    served: list[tuple[tuple[Order, ...], int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.name)

    def serve(self, orders: Sequence[Order], slots: int = 1) -> Served:
        if slots > self.slots:
            raise BadRequest(f"{slots} slots are asked for, and there are {self.slots}")
        self.served.append((tuple(orders), slots))
        if len(self.served) - 1 in self.refuses:
            raise Unavailable("it is not there")
        free = [0.0] * slots
        deliveries, end = [], 0.0
        for number, order in enumerate(orders):
            start = max(order.arrival, heapq.heappop(free))
            delivery, done = self._delivery(order, start, self.stall if number == 0 else 0.0)
            heapq.heappush(free, done)
            deliveries.append(delivery)
            end = max(end, done)
        return Served(tuple(deliveries), end, {part: share * end for part, share in self.parts.items()})

    def _delivery(self, order: Order, start: float, stall: float) -> tuple[Delivery, float]:
        words = self.length(order, self._chance)
        passes = math.ceil(words / self.emits)
        slow = math.exp(self._chance.gauss(0.0, self.noise)) if self.noise else 1.0
        since = start - order.arrival if self.honest else 0.0
        times = tuple(since + stall + slow * (self.first + self.pace * number) for number in range(passes))
        mark = self._chance.random() if self.wanders else order.seed
        rounds = tuple(Round(self.emits - 1, self.emits - 1) for _ in times) if self.tells and self.drafts else ()
        drafted = (self.emits - 1) * passes if self.tells else None
        done = start + stall + slow * (self.first + self.pace * max(0, passes - 1))
        return Delivery(" ".join([f"{mark}"] * words), times, drafted, drafted, rounds), done


def plain(**known: object) -> Scripted:
    return Scripted(**{"name": "toy plain", **known})


def drafting(**known: object) -> Scripted:
    """Twice as fast as the plain one, up to rounding, for each pass emits two tokens."""
    return Scripted(**{"name": "toy drafting", "drafts": True, "emits": 2, **known})


def sitting(*contenders: Scripted, prompts: int = 10, **known: object) -> Sitting:
    return Sitting(tuple(contenders), (workload(prompts),), reader(), **{"temperatures": (0.0,), "repeats": 4, "max_tokens": 20, **known})


def runs_of(heats: Iterable[Heat]) -> list[Run]:
    """All runs, nobody having withdrawn."""
    found = list(measured(heats, reader()))
    assert not any(isinstance(each, Withdrawn) for each in found)
    return [each for each in found if isinstance(each, Run)]


def runs(*contenders: Scripted, **known: object) -> list[Run]:
    """All runs of the table of one request."""
    return runs_of(one_request(sitting(*contenders, **known)))
