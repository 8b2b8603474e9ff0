"""Benchmarks that are made in a moment: runs written by hand, of engines whose pace is a number."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from draftproof.bench.cell import ONE, SERVICE, TAIL, Cell
from draftproof.bench.contender import Round
from draftproof.bench.measure import Withdrawn
from draftproof.bench.run import Reply, Run
from draftproof.bench.store import End, Head, Machine, Recorded
from draftproof.models.cost import PassCost
from draftproof.report.bench import BenchReport
from draftproof.report.bench_costs import Passes, written

ENGINE = "an engine float32"

PLAIN = f"{ENGINE}, no drafts"

PROMPTS, ROUNDS = 8, 12

PACE = 0.05
"""Seconds of a round without drafts."""

COST = PassCost(((2, 1000 * PACE), (4, 1000 * PACE * 1.2), (8, 1000 * PACE * 1.6)))


def lookup(width: int, engine: str = ENGINE) -> str:
    return f"{engine}, lookup, width {width}"


def reply(place: int, *, pace: float, drafted: int = 0, accepted: int = 0, arrival: float = 0.0, tokens: int = 24) -> Reply:
    """A text of so many tokens, in rounds that took `pace` seconds, drafted so much, accepted so much and emitted one token more."""
    rounds = tokens // (accepted + 1)
    return Reply(
        place=place,
        seed=place,
        prompt_tokens=20,
        tokens=tokens,
        arrival=arrival,
        times=tuple(pace * number for number in range(1, rounds + 1)),
        drafted=rounds * drafted,
        accepted=rounds * accepted,
        rounds=(Round(drafted, accepted),) * rounds,
        digest=f"text {place}",
    )


def run(cell: Cell, contender: str, replies: Sequence[Reply], *, repeat: int, turn: int, engine: str = ENGINE) -> Run:
    """It ends with the last reply."""
    seconds = max(one.arrival + one.seconds for one in replies)
    drafts = "no drafts" not in contender
    parts = (("target", 0.9 * seconds), ("draft", 0.02 * seconds), ("sampling", 0.03 * seconds), ("verdict", 0.0), ("rest", 0.05 * seconds))
    return Run(*cell[:3], contender, engine, drafts, repeat, turn, cell.slots, cell.rate, seconds, parts, tuple(replies))


def alone(
    workload: str = "chat",
    temperature: float = 0.0,
    *,
    widths: Sequence[int] = (1, 3),
    gain: float = 1.0,
    engine: str = ENGINE,
    wobble: float = 0.02,
) -> Iterator[Run]:
    """One request at a time: rounds of a draft cost what the table of passes says, and `gain` times less.

    Args:
        wobble: the share by which every second repeat is slower; the noise of the machine.
    """
    cell = Cell(ONE, workload, temperature)
    for repeat in range(2):
        slower = 1 + wobble * repeat
        for place in range(PROMPTS):
            pace = PACE * slower * (1 + 0.01 * place)
            yield run(cell, f"{engine}, no drafts", [reply(place, pace=pace)], repeat=repeat, turn=0, engine=engine)
            for width in widths:
                costs = COST.ms([1 + width]) / COST.ms([1]) / gain
                drafted = reply(place, pace=pace * costs, drafted=width, accepted=1 + place % 2 if width > 1 else 1)
                yield run(cell, lookup(width, engine), [drafted], repeat=repeat, turn=0, engine=engine)


def served(workload: str = "chat", slots: Sequence[int] = (1, 2, 4)) -> Iterator[Run]:
    """Many at once: more slots emit more, and drafts help less."""
    for width in slots:
        cell = Cell(SERVICE, workload, 0.0, width)
        for repeat in range(3):
            for contender, pace in ((PLAIN, PACE / width**0.5), (lookup(3), 1.1 * PACE / width**0.3)):
                drafted = 0 if contender == PLAIN else 3
                replies = [
                    reply(place, pace=pace * (1 + 0.01 * repeat), drafted=drafted, accepted=min(drafted, 1)) for place in range(PROMPTS)
                ]
                yield run(cell, contender, replies, repeat=repeat, turn=0)


def arriving(workload: str = "chat", rates: Sequence[float] = (0.1, 2.0), requests: int = 40) -> Iterator[Run]:
    """One a time, in the order of arrival: at the higher rate they wait for each other and the queue grows."""
    for rate in rates:
        cell = Cell(TAIL, workload, 0.0, 1, rate)
        for contender, pace in ((PLAIN, PACE), (lookup(3), 0.7 * PACE)):
            free, replies = 0.0, []
            for number in range(requests):
                arrival = (number + 0.3 * (number % 3)) / rate
                begin = max(free, arrival)
                own = reply(number % PROMPTS, pace=pace)
                free = begin + own.seconds
                times = tuple(begin - arrival + time for time in own.times)
                replies.append(Reply(**{**vars(own), "times": times, "arrival": arrival}))
            yield run(cell, contender, replies, repeat=0, turn=0)


MACHINE = Machine("a processor", 2, 8 * 2**30, "Linux, x86_64")


def head(settings: Sequence[tuple[str, str]] = (), text: str = "0.1") -> Head:
    """With `text` where a user or a system can say anything."""
    return Head(
        f"draftproof bench smollm2 --engine ours:lookup --max-tokens 24 --prompts {text}",
        "2026-01-02T03:04:05+00:00",
        MACHINE,
        (("draftproof", "0.1.0"), ("Python", "3.11.7")),
        (0.5, 0.4, 0.3),
        tuple(settings),
    )


def report(
    *runs: Run, withdrawn: Sequence[Withdrawn] = (), settings: Sequence[tuple[str, str]] = (), text: str = "0.1", **more
) -> BenchReport:
    """A report on these, with the costs of the passes of every drafting contender."""
    runs = tuple(replace(one, turn=turn) for turn, one in enumerate(runs))
    passes = sorted({(one.contender, one.workload) for one in runs if one.drafts})
    costs = written(Passes(contender, workload, COST) for contender, workload in passes)
    end = End("2026-01-02T03:14:05+00:00", (1.5, 1.0, 0.5))
    recorded = Recorded(head([("target", "smollm2"), costs, *settings], text), runs, tuple(withdrawn), end)
    return BenchReport(recorded, raw="ab" * 32, **more)


@cache
def with_everything() -> BenchReport:
    """Two workloads and two engines, all three tables, one refusal, one that withdrew."""
    other = "another engine as it comes"
    runs = [*alone(), *alone("code_edit", 0.8), *alone(widths=(), engine=other), *served(), *arriving()]
    quiet = [
        run(Cell(ONE, "chat", 0.0), f"{other}, lookup", [reply(place, pace=PACE)], repeat=0, turn=0, engine=other)
        for place in range(PROMPTS)
    ]
    gone = Withdrawn(Cell(ONE, "code_edit", 0.8), f"{other}, lookup", "the server was ended by SIGKILL; start it again")
    return report(*runs, *quiet, withdrawn=[gone])


def at_once(one: Run) -> Run:
    """The same, but that all text of a request came at its end."""
    return replace(one, replies=tuple(replace(reply, times=(reply.seconds,) * len(reply.times)) for reply in one.replies))


@cache
def saying(text: str) -> BenchReport:
    """A report in which all that a model, an engine or a user can say is this text."""
    engine = f"{text} engine"
    runs = list(alone(text, engine=engine))
    silent = [
        run(Cell(ONE, text, 0.0), f"{text}, lookup", [reply(place, pace=PACE)], repeat=0, turn=0, engine=text) for place in range(PROMPTS)
    ]
    gone = Withdrawn(Cell(TAIL, text, 0.0), text, text)
    return report(*runs, *silent, withdrawn=[gone], settings=[(text, text)], text=text)
