"""Whether an engine is faster with a draft than without, on one cell of a table: the ratio pair by pair, or reasons why none may be told.

A pair is the same orders in the same repeat, next to each other in time, so what slows the machine slows both. Of the pairs of one prompt
the median counts: one that was disturbed has no say. Prompts count by the time that they take without a draft, so the ratio is that of two
totals: how much sooner the whole workload is done. The interval is over prompts, since other prompts, and other texts on them, would give
another ratio; repeats of one prompt are not new prompts. Where many orders are served at once a run is the whole workload: there the
interval is over repeats, and says nothing of other prompts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from draftproof.bench.cell import ONE, SERVICE, Cell, cell_of
from draftproof.bench.memory import remembered
from draftproof.bench.noise import noise_of_pairs
from draftproof.bench.pairs import Pair, grouped, paired, speed_up
from draftproof.bench.refusals import NOISE_LIMIT, refusals
from draftproof.bench.run import Run
from draftproof.bench.totals import Estimate


@dataclass(frozen=True)
class Comparison:
    """A contender that drafts against the one of the same engine that does not.

    Attributes:
        cell: where both were measured.
        engine: of both.
        drafting, plain: names of the contenders; the first plain one, if there are several.
        pairs: of runs, also those in which nothing was emitted; raw data, of which no single one is a speed-up.
        groups: of pairs that the interval is over: prompts, or repeats of a service.
        noise: one standard deviation of the time of equal work, as a share of it, on the side where it is larger; None if none was done
            twice.
        refusals: reasons for which no speed-up may be told, each a clause without a full stop.
        speed_up: tokens a second with a draft over those without; None if there is a reason to refuse.
    """

    cell: Cell
    engine: str
    drafting: str
    plain: str
    pairs: tuple[Pair, ...]
    groups: int
    noise: float | None
    refusals: tuple[str, ...]
    speed_up: Estimate | None

    def __post_init__(self) -> None:
        assert (self.speed_up is None) == bool(self.refusals), "a speed-up is told if and only if nothing speaks against it"

    @property
    def same_texts(self) -> float | None:
        """The share of pairs whose texts are the same to the letter; None without pairs."""
        return sum(pair.same_text for pair in self.pairs) / len(self.pairs) if self.pairs else None


def compare(runs: Iterable[Run], *, noise_limit: float = NOISE_LIMIT) -> list[Comparison]:
    """Every drafting contender against its plain one, cell by cell, in the order of the runs; the tables of one request and of service.

    Args:
        runs: of one sitting, all tables.
        noise_limit: no ratio is told of a machine on which equal work varied more.
    """
    cells: dict[Cell, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    histories: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        histories[run.contender, run.workload].append(run)
        if run.table in (ONE, SERVICE):
            cells[cell_of(run)][run.contender].append(run)
    memories = {who: remembered(history) for who, history in histories.items()}
    return [
        _comparison(cell, drafting, _plain(contenders, drafting[0].engine), memories, noise_limit)
        for cell, contenders in cells.items()
        for drafting in contenders.values()
        if drafting[0].drafts
    ]


def _plain(contenders: Mapping[str, Sequence[Run]], engine: str) -> list[Sequence[Run]]:
    """The runs of each contender of an engine that does not draft."""
    return [runs for runs in contenders.values() if runs[0].engine == engine and not runs[0].drafts]


def _comparison(
    cell: Cell, drafting: Sequence[Run], several: Sequence[Sequence[Run]], memories: Mapping[tuple[str, str], str], noise_limit: float
) -> Comparison:
    plain = several[0] if several else []
    pairs = tuple(paired(drafting, plain))
    varied, groups = noise_of_pairs(pairs), grouped(pairs)
    names = [runs[0].contender for runs in (drafting, *several)]
    reasons = (
        *_ambiguous(names[1:]),
        *(memory for name in names if (memory := memories[name, cell.workload])),
        *refusals(pairs, noise=varied, noise_limit=noise_limit),
    )
    return Comparison(
        cell,
        drafting[0].engine,
        names[0],
        plain[0].contender if plain else "",
        pairs,
        len(groups),
        varied,
        reasons,
        None if reasons else speed_up(groups, lambda pair: pair.ratio),
    )


def _ambiguous(plain: Sequence[str]) -> Iterator[str]:
    if len(plain) > 1:
        yield f"{len(plain)} contenders of this engine do not draft, and each gives another ratio: {' and '.join(plain)}"
