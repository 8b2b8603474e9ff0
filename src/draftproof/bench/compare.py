"""Whether an engine is faster with a draft than without, on one cell of a table: the ratio pair by pair, or reasons why none may be told.

A pair is the same orders in the same repeat, next to each other in time, so what slows the machine slows both. Of the pairs of one prompt
the median counts: one that was disturbed has no say. Prompts count by the time that they take without a draft, so the ratio is that of two
totals: how much sooner the whole workload is done. The interval is over prompts, since other prompts, and other texts on them, would give
another ratio; repeats of one prompt are not new prompts. Where many orders are served at once a run is the whole workload: there the
interval is over repeats, and says nothing of other prompts.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from draftproof.bench.cell import ONE, SERVICE, Cell, cell_of
from draftproof.bench.noise import noise
from draftproof.bench.pairs import Pair, paired
from draftproof.bench.refusals import NOISE_LIMIT, refusals
from draftproof.bench.run import Run
from draftproof.bench.totals import Estimate, ratio_of_totals


@dataclass(frozen=True)
class Comparison:
    """A contender that drafts against the one of the same engine that does not.

    Attributes:
        cell: where both were measured.
        engine: of both.
        drafting, plain: names of the contenders.
        pairs: of runs, also those in which nothing was emitted; raw data, of which no single one is a speed-up.
        groups: of pairs that the interval is over: prompts, or repeats of a service.
        noise: one standard deviation of the time of equal work, as a share of it: of these pairs, or, where no text came twice, of the
            engine's other runs in this table; None if no two runs did equal work there either.
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
    runs = [run for run in runs if run.table in (ONE, SERVICE)]
    cells: dict[Cell, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        cells[cell_of(run)][run.contender].append(run)
    return [
        _comparison(cell, drafting, _plain(contenders, drafting[0].engine), runs, noise_limit)
        for cell, contenders in cells.items()
        for drafting in contenders.values()
        if drafting[0].drafts
    ]


def _plain(contenders: dict[str, list[Run]], engine: str) -> list[Run]:
    return next((runs for runs in contenders.values() if runs[0].engine == engine and not runs[0].drafts), [])


def _comparison(cell: Cell, drafting: Sequence[Run], plain: Sequence[Run], runs: Sequence[Run], noise_limit: float) -> Comparison:
    pairs = tuple(paired(drafting, plain))
    groups: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.timed:
            groups[pair.plain.repeat if cell.table == SERVICE else pair.plain.replies[0].place].append(pair)
    varied = noise(run for pair in pairs for run in pair)
    if varied is None:
        varied = noise(run for run in runs if run.table == cell.table and run.engine == drafting[0].engine)
    reasons = refusals(pairs, groups=len(groups), noise=varied, noise_limit=noise_limit)
    return Comparison(
        cell,
        drafting[0].engine,
        drafting[0].contender,
        plain[0].contender if plain else "",
        pairs,
        len(groups),
        varied,
        reasons,
        None if reasons else _speed_up(list(groups.values())),
    )


def _speed_up(groups: Sequence[Sequence[Pair]]) -> Estimate:
    without = [median(pair.plain.seconds for pair in group) for group in groups]
    drafted = [seconds / median(pair.ratio for pair in group) for seconds, group in zip(without, groups, strict=True)]
    return ratio_of_totals(without, drafted)
