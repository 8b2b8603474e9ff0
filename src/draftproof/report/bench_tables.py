"""The three tables of a benchmark as cells for a reader. Each says one thing, and none of them repeats another's."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from draftproof.bench.cell import ONE, SERVICE, TAIL, Cell
from draftproof.bench.compare import Comparison
from draftproof.bench.quantiles import Quantile, TooFew
from draftproof.bench.rates import Rates
from draftproof.bench.service import Throughput
from draftproof.bench.tail import Tail
from draftproof.bench.totals import Estimate

NOTHING = "–"
"""In a cell of which nothing is claimed."""

UNEQUAL = 1.1
"""How many times as long as the shortest the longest texts of a section may be before it is said, on the mean of each contender."""

NAMES = {ONE: "One request", SERVICE: "Service", TAIL: "Tail"}

ASKED = {
    ONE: "how long does a client wait who is alone?",
    SERVICE: "how much comes out when many are served at once?",
    TAIL: "how long do clients wait who come when they like?",
}


class Value(NamedTuple):
    """What stands in a cell.

    Attributes:
        text: for a reader.
        number: what it is worth against others of its column, the larger the better; None if it takes no part.
    """

    text: str
    number: float | None = None

    @property
    def estimate(self) -> str:
        """The text without its interval."""
        return self.text.partition(" ")[0]


@dataclass(frozen=True)
class Row:
    """One contender.

    Attributes:
        cells: one a column.
        best: places of those that are the best of their column, among the rows that were asked the same.
        refusals: why no speed-up is told; empty where one is, or where nothing is drafted.
    """

    cells: tuple[str, ...]
    best: frozenset[int]
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """What was measured on one workload at one temperature.

    Attributes:
        workload, temperature: of it.
        rows: in the order of the runs.
        remarks: sentences on what stands in no cell.
    """

    workload: str
    temperature: float
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.workload}, temperature {self.temperature:g}"


@dataclass(frozen=True)
class Table:
    """One of the three.

    Attributes:
        kind: `one`, `service` or `tail`.
        header: a word a column.
        sections: at least one.
        note: how to read it.
    """

    kind: str
    header: tuple[str, ...]
    sections: tuple[Section, ...]
    note: str

    @property
    def name(self) -> str:
        return NAMES[self.kind]

    @property
    def asked(self) -> str:
        """The question that it answers."""
        return ASKED[self.kind]


class Entry(NamedTuple):
    """A row before it is known which cells are the best.

    Attributes:
        cell: where it was measured; rows of one cell are held against each other.
        values: one a column.
        refusals: see `Row`.
        quantiles: that are claimed or not, by what they are called in remarks.
        remark: one sentence on this row alone; empty if there is none.
        length: tokens of a text, the mean; None where it is of no consequence.
    """

    cell: Cell
    values: tuple[Value, ...]
    refusals: tuple[str, ...]
    quantiles: tuple[tuple[str, Quantile | TooFew], ...] = ()
    remark: str = ""
    length: float | None = None


def one_table(rates: Sequence[Rates], comparisons: Sequence[Comparison]) -> Table:
    """The table of one request."""
    found = {(one.cell, one.drafting): one for one in comparisons}

    def entry(one: Rates) -> Entry:
        compared = found.get((one.cell, one.contender))
        gaps = tuple((f"a gap's {_named(gap)}", gap) for gap in one.gaps)
        values = (
            Value(one.contender),
            estimated(one.rate),
            _waited(one.first),
            *map(_waited, one.gaps),
            _kept(one.drafted, one.accepted) if one.drafts else Value(""),
            _speed_up(compared),
        )
        empty = f"{one.contender}: requests that brought no text, and count nowhere: {one.empty}." if one.empty else ""
        return Entry(
            one.cell, values, compared.refusals if compared else (), (("the median first wait", one.first), *gaps), empty, one.tokens_a_text
        )

    header = ("contender", "tokens/s", "first", "gap p50", "gap p95", "gap p99", "kept", "speed-up")
    note = (
        "tokens/s: from the request to its last token, with a 95% interval over prompts. First: the wait for the first text, of the "
        "median prompt. Gap: the wait between two bursts of text; both in milliseconds. Kept: of the drafted tokens. Speed-up: tokens/s "
        "over those of the same engine without drafts, pair by pair, with a 95% interval."
    )
    return Table(ONE, header, _sections(map(entry, rates)), note)


def service_table(throughputs: Sequence[Throughput], comparisons: Sequence[Comparison]) -> Table:
    """The table of service."""
    found = {(one.cell, one.drafting): one for one in comparisons}

    def entry(one: Throughput) -> Entry:
        compared = found.get((one.cell, one.contender))
        values = (
            Value(one.contender),
            Value(str(one.cell.slots)),
            estimated(one.rate),
            _share(one.outside, better=-1),
            _share(one.drafting),
            _speed_up(compared),
        )
        return Entry(one.cell, values, compared.refusals if compared else ())

    header = ("contender", "slots", "tokens/s", "outside", "drafting", "speed-up")
    note = (
        "tokens/s: of all requests together, so many slots served at once, with a 95% interval over repeats, which says nothing of other "
        "prompts. Outside: the share of the time that passes of the target did not take; drafting is part of it. Speed-up: tokens/s over "
        "those of the same engine without drafts, for the whole workload."
    )
    return Table(SERVICE, header, _sections(map(entry, sorted(throughputs, key=lambda one: one.cell.slots))), note)


def tail_table(tails: Sequence[Tail]) -> Table:
    """The table of the tail, which knows no speed-up."""

    def entry(one: Tail) -> Entry:
        values = (
            Value(one.contender),
            Value(f"{one.cell.rate:g}"),
            *map(_waited, one.first),
            *map(_waited, one.whole),
            Value(f"{one.goodput:.2f}", one.goodput),
            Value(f"{one.backlog:.0%}", -one.backlog),
        )
        quantiles = [(f"the {_named(one)} of a wait", one) for one in (*one.first, *one.whole)]
        return Entry(one.cell, values, (), () if one.reason else tuple(quantiles), _tail_remark(one))

    header = ("contender", "rate", "first p50", "first p95", "first p99", "whole p50", "whole p95", "whole p99", "good/s", "unserved")
    note = (
        f"Requests come at random, so many a second, whether or not the engine is ready; it serves {_slots(tails)} at once. Waits count "
        "from the arrival, in milliseconds. First and whole: until the first text, and until the last. Good/s: requests a second that kept "
        f"the limits ({_limits(tails)}). Unserved: of all, when the last one came."
    )
    return Table(TAIL, header, _sections(map(entry, sorted(tails, key=lambda one: one.cell.rate))), note)


def _sections(entries: Iterable[Entry]) -> tuple[Section, ...]:
    groups: dict[tuple[str, float], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.cell.workload, entry.cell.temperature].append(entry)
    return tuple(Section(*asked, tuple(_rows(group)), tuple(_remarks(group))) for asked, group in groups.items())


def _rows(entries: Sequence[Entry]) -> Iterator[Row]:
    rivals: dict[Hashable, list[Entry]] = defaultdict(list)
    for entry in entries:
        rivals[entry.cell].append(entry)
    for entry in entries:
        columns = list(zip(*(rival.values for rival in rivals[entry.cell]), strict=True))
        best = frozenset(place for place, value in enumerate(entry.values) if _is_best(value, columns[place]))
        yield Row(tuple(value.text for value in entry.values), best, entry.refusals)


def _is_best(value: Value, column: Sequence[Value]) -> bool:
    """True if nothing in the column reads better and something reads worse; intervals aside, and rounded as they are read."""
    told = [(other.number, other.estimate) for other in column if other.number is not None]
    if value.number is None or len({estimate for _, estimate in told}) < 2:
        return False
    return value.estimate == max(told)[1]


def _remarks(entries: Sequence[Entry]) -> Iterator[str]:
    """What is not claimed and how many observations it takes, then what is to be said of single rows."""
    missing: dict[str, list[TooFew]] = defaultdict(list)
    for entry in entries:
        for what, found in entry.quantiles:
            if isinstance(found, TooFew):
                missing[what].append(found)
    for what, each in missing.items():
        fewest, most = min(one.worth for one in each), max(one.worth for one in each)
        worth = str(fewest) if fewest == most else f"{fewest} to {most}"
        yield f"Not claimed: {what}. It takes {each[0].needed} independent observations, and these are worth {worth}."
    yield from filter(None, (entry.remark for entry in entries))
    lengths = {entry.values[0].text: entry.length for entry in entries if entry.length}
    if lengths and max(lengths.values()) > UNEQUAL * min(lengths.values()):
        short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        yield (
            f"Not alike: texts of {short} hold {lengths[short]:.1f} tokens, those of {long} {lengths[long]:.1f}. The wait for the first "
            "text weighs more on a short one, so do not hold their tokens/s against each other."
        )


def _tail_remark(one: Tail) -> str:
    """What makes the latencies of a row less than they seem."""
    where = f"{one.contender} at {one.cell.rate:g} a second"
    if one.reason:
        return f"{where}: {one.reason}."
    if one.saturated:
        return f"{where}: the queue grew to the end, so the waits only say how long it was measured."
    return f"{where}: requests that brought no text, are not good and in no wait: {one.empty}." if one.empty else ""


def _slots(tails: Sequence[Tail]) -> str:
    slots = {one.cell.slots for one in tails}
    return str(max(slots)) if len(slots) == 1 else f"{min(slots)} to {max(slots)}"


def _limits(tails: Sequence[Tail]) -> str:
    limits = tails[0].limits
    told = [
        f"{what} {1000 * seconds:g} ms"
        for what, seconds in (("first text within", limits.first), ("then a token each", limits.a_token))
        if seconds
    ]
    return ", ".join(told) or "none was given: all that brought text"


def _speed_up(compared: Comparison | None) -> Value:
    if compared is None:
        return Value("")
    return estimated(compared.speed_up, digits=2) if compared.speed_up else Value("refused")


def estimated(found: Estimate | None, *, digits: int = 1) -> Value:
    """A number with its interval, if it has one."""
    if found is None:
        return Value(NOTHING)
    if found.low is None or found.high is None:
        return Value(f"{found.value:.{digits}f}", found.value)
    return Value(f"{found.value:.{digits}f} ({found.low:.{digits}f}–{found.high:.{digits}f})", found.value)


def _waited(found: Quantile | TooFew) -> Value:
    """Milliseconds."""
    return Value(NOTHING) if isinstance(found, TooFew) else Value(milliseconds(found.value), -found.value)


def milliseconds(seconds: float) -> str:
    """Three digits or more."""
    return f"{1000 * seconds:.1f}" if seconds < 0.1 else f"{1000 * seconds:,.0f}"


def _kept(drafted: int | None, accepted: int | None) -> Value:
    if drafted is None or accepted is None:
        return Value("not told")
    return Value(f"{accepted / drafted:.0%}" if drafted else "no drafts")


def _share(found: float | None, *, better: int = 0) -> Value:
    return Value(NOTHING) if found is None else Value(f"{found:.1%}", better * found if better else None)


def _named(found: Quantile | TooFew) -> str:
    return f"p{100 * found.q:g}"
