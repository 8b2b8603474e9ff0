"""Runs as they are measured: contenders in turn, on the same orders, read and counted by one tokenizer.

Contenders take turns batch by batch, A B C and then C B A, those of one engine next to each other. So what is compared lies a few requests
apart, and a machine that slows down slows all.

A repeat is the same work again: the seed of an order is settled by the place of its prompt alone, for every contender and every repeat. So
what differs between the repeats of a contender is the machine, and that is the noise that is told. How another text would have fared is
seen across prompts; it would be wrong to take repeats for it.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from draftproof.bench.cell import ONE, SERVICE, Cell
from draftproof.bench.contender import Contender, Delivery, Order
from draftproof.bench.run import Reply, Run
from draftproof.bench.workloads import Workload
from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.models.language import LanguageModel, Tokenizer


@dataclass(frozen=True)
class Sitting:
    """Who is measured on what, in one go.

    Attributes:
        contenders: all of them hold the same weights.
        workloads: each a list of prompts.
        reader: its tokenizer reads the prompts and counts the texts of all.
        temperatures: each workload is measured at each.
        max_tokens: of every text.
        repeats: how often each order is served by each contender.
        seed: of the first prompt of a workload; each takes the next.

    Raises:
        BadRequest: nothing to measure, or two contenders of one name.
    """

    contenders: tuple[Contender, ...]
    workloads: tuple[Workload, ...]
    reader: LanguageModel
    temperatures: tuple[float, ...] = (0.0, 0.8, 1.0)
    max_tokens: int = 128
    repeats: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("contenders", "workloads", "temperatures"):
            if not getattr(self, name):
                raise BadRequest(f"there are no {name}; give at least one")
        for name in ("max_tokens", "repeats"):
            if (value := getattr(self, name)) < 1:
                raise BadRequest(f"{name} is {value}; it takes at least 1")
        names = [contender.name for contender in self.contenders]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise BadRequest(f"two contenders are named {twice}; give each once")

    @property
    def field(self) -> tuple[Contender, ...]:
        """The contenders, those of one engine side by side."""
        engines = list(dict.fromkeys(contender.engine for contender in self.contenders))
        return tuple(sorted(self.contenders, key=lambda contender: engines.index(contender.engine)))

    def orders(self, workload: Workload, temperature: float) -> tuple[Order, ...]:
        """One for each prompt of a workload.

        Raises:
            BadRequest: a prompt does not fit into the context with what may follow.
        """
        prompts = [(prompt.name, tuple(self.reader.read(prompt.text))) for prompt in workload.prompts]
        for name, prompt in prompts:
            if (room := self.reader.context_length - len(prompt)) < self.max_tokens:
                raise BadRequest(
                    f"the prompt {name!r} of {workload.name} has {len(prompt)} tokens and leaves room for {max(0, room)} more, not for "
                    f"{self.max_tokens}; shorten it, or ask for fewer tokens"
                )
        return tuple(Order(prompt, self.max_tokens, temperature, self.seed + place) for place, (_, prompt) in enumerate(prompts))


@dataclass(frozen=True)
class Batch:
    """Orders that are served together.

    Attributes:
        orders: in order of arrival.
        places: of their prompts in the workload.
    """

    orders: tuple[Order, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class Heat:
    """All runs of one cell.

    Attributes:
        cell: of the tables.
        contenders: who takes part, in turn.
        repeats: the batches of each.
    """

    cell: Cell
    contenders: tuple[Contender, ...]
    repeats: tuple[tuple[Batch, ...], ...]

    @property
    def runs(self) -> int:
        """How many are measured if nobody withdraws."""
        return len(self.contenders) * sum(map(len, self.repeats))

    @property
    def orders(self) -> int:
        """How many they answer."""
        return len(self.contenders) * sum(len(batch.orders) for repeat in self.repeats for batch in repeat)


@dataclass(frozen=True)
class Withdrawn:
    """A contender that could not go on in one cell; the others did.

    Attributes:
        cell: in which no more is measured of it.
        contender: its name.
        reason: one sentence.
    """

    cell: Cell
    contender: str
    reason: str


def one_request(sitting: Sitting) -> list[Heat]:
    """The table of one request: every prompt alone, by every contender in turn."""
    heats = []
    for workload in sitting.workloads:
        for temperature in sitting.temperatures:
            batches = tuple(Batch((order,), (place,)) for place, order in enumerate(sitting.orders(workload, temperature)))
            heats.append(Heat(Cell(ONE, workload.name, temperature), sitting.field, (batches,) * sitting.repeats))
    return heats


def measured(heats: Iterable[Heat], reader: LanguageModel) -> Iterator[Run | Withdrawn]:
    """Every run as soon as it is measured, in the order in which it happens."""
    turns = count()
    for heat in heats:
        yield from _heat(heat, reader.tokenizer, turns)


def _heat(heat: Heat, tokenizer: Tokenizer, turns: Iterator[int]) -> Iterator[Run | Withdrawn]:
    """One cell: a warm-up of each contender that is not counted, then all batches, turn about."""
    out: set[str] = set()
    for contender in heat.contenders:
        try:
            contender.serve(_warm_up(heat), heat.cell.slots)
        except (BadRequest, Unavailable, Unsupported) as error:
            out.add(contender.name)
            yield Withdrawn(heat.cell, contender.name, str(error))
    for repeat, batches in enumerate(heat.repeats):
        for number, batch in enumerate(batches):
            for contender in heat.contenders if (repeat + number) % 2 == 0 else reversed(heat.contenders):
                if contender.name in out:
                    continue
                try:
                    yield _run(heat.cell, contender, batch, tokenizer, repeat=repeat, turn=next(turns))
                except (BadRequest, Unavailable, Unsupported) as error:
                    out.add(contender.name)
                    yield Withdrawn(heat.cell, contender.name, str(error))


def _warm_up(heat: Heat) -> Sequence[Order]:
    """Work of the kind that is measured, on prompts that are not: as many orders as there are slots, all at once, and of a service all that
    are measured, since it meets passes of ever new numbers of rows, each of which takes longer the first time.

    The prompts are those of the first orders read backwards. An engine that keeps what it has read or written is to meet each as a new one.
    """
    orders = heat.repeats[0][0].orders
    return [
        replace(order, prompt=order.prompt[::-1], arrival=0.0)
        for order in orders[: None if heat.cell.table == SERVICE else heat.cell.slots]
    ]


def _run(cell: Cell, contender: Contender, batch: Batch, tokenizer: Tokenizer, *, repeat: int, turn: int) -> Run:
    served = contender.serve(batch.orders, cell.slots)
    if len(served.deliveries) != len(batch.orders):
        raise Unavailable(f"{contender.name} gave {len(served.deliveries)} deliveries for {len(batch.orders)} orders")
    replies = zip(batch.places, batch.orders, served.deliveries, strict=True)
    return Run(
        cell.table,
        cell.workload,
        cell.temperature,
        contender.name,
        contender.engine,
        contender.drafts,
        repeat,
        turn,
        cell.slots,
        cell.rate,
        served.seconds,
        tuple(served.parts.items()),
        tuple(_reply(tokenizer, place, order, delivery) for place, order, delivery in replies),
    )


def _reply(tokenizer: Tokenizer, place: int, order: Order, delivery: Delivery) -> Reply:
    return Reply(
        place,
        order.seed,
        len(order.prompt),
        len(tokenizer.encode(delivery.text)),
        order.arrival,
        delivery.times,
        delivery.drafted,
        delivery.accepted,
        delivery.rounds,
        hashlib.sha256(delivery.text.encode(errors="surrogatepass")).hexdigest()[:16],
    )
