"""The tables of recorded sittings, from their raw runs alone, put between the markers of the pages that show them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from draftproof.bench.cell import Cell
from draftproof.bench.compare import Comparison, compare
from draftproof.bench.contender import Round
from draftproof.bench.rates import rates
from draftproof.bench.run import Run
from draftproof.bench.service import throughputs
from draftproof.bench.store import read
from draftproof.bench.totals import Estimate

ROOT = Path(__file__).parents[2]

PAGES = (ROOT / "README.md", ROOT / "docs" / "benchmarks" / "README.md")


def filled(page: str, raw: Path) -> str:
    """The page with every marked table made again from `raw`/NAME/runs.jsonl."""

    def table(marked: re.Match[str]) -> str:
        kind, name = marked["kind"], marked["name"]
        runs = read(raw / name / "runs.jsonl").runs
        return f"<!-- {kind} of {name} -->\n{TABLES[kind](runs)}\n<!-- end of {name} -->"

    return re.sub(r"<!-- (?P<kind>\w+) of (?P<name>\w+) -->\n.*?<!-- end of (?P=name) -->", table, page, flags=re.DOTALL)


def one(runs: Sequence[Run]) -> str:
    """Tokens a second of every contender, cell by cell, with the speed-up of those that draft; the fastest in bold."""
    found = defaultdict[Cell, dict[str, float]](dict)
    for each in rates(runs):
        if each.rate:
            found[each.cell][each.contender] = each.rate.value
    compared = {(each.cell, each.drafting): each for each in compare(runs)}
    names = list(dict.fromkeys(name for row in found.values() for name in row))

    def row(cell: Cell, told: dict[str, float]) -> Iterator[str]:
        yield f"{cell.workload}, {cell.temperature:g}"
        for name in names:
            rate = f"{told[name]:.1f}" if name in told else "–"
            rate = f"**{rate}**" if told.get(name) == max(told.values()) else rate
            yield f"{rate} {speed_up(compared.get((cell, name)))}".strip()

    return table(["tokens a second", *names], [list(row(cell, told)) for cell, told in found.items()])


def widths(runs: Sequence[Run]) -> str:
    """Speed-ups by the way to draft, and how near the chosen width comes to the best fixed one."""
    compared = defaultdict[Cell, dict[str, Comparison]](dict)
    for each in compare(runs):
        compared[each.cell][each.drafting.partition(", ")[2]] = each
    names = list(dict.fromkeys(name for row in compared.values() for name in row))

    def row(cell: Cell, told: dict[str, Comparison]) -> Iterator[str]:
        yield f"{cell.workload}, {cell.temperature:g}"
        yield from (speed_up(told.get(name)) for name in names)
        ratios = {name: each.speed_up.value for name, each in told.items() if each.speed_up}
        fixed = [ratio for name, ratio in ratios.items() if "width" in name]
        yield f"{ratios['best_of'] / max(fixed):.0%}" if fixed and "best_of" in ratios else "–"

    return table(["speed-up", *names, "best_of, of the best width"], [list(row(*each)) for each in compared.items()])


def service(runs: Sequence[Run]) -> str:
    """Throughput by slots, with drafts and without."""
    compared = {each.cell: each for each in compare(runs)}
    found = defaultdict[Cell, dict[bool, list[str]]](dict)
    for each in throughputs(runs):
        rate = f"{each.rate.value:.0f}" if each.rate else "–"
        found[each.cell][each.drafts] = [rate, "–" if each.outside is None else f"{each.outside:.1%}"]
    rows = [
        [f"{cell.workload}, {cell.temperature:g}", str(cell.slots), *told[False], *told[True], speed_up(compared.get(cell))]
        for cell, told in found.items()
    ]
    header = ["tokens a second", "slots", "no drafts", "outside the passes", "best_of", "outside the passes", "speed-up"]
    return table(header, rows)


def rounds(runs: Sequence[Run]) -> str:
    """Block efficiency of the contenders that tell their rounds."""
    told = defaultdict[tuple[Cell, str], list[Round]](list)
    for run in runs:
        for reply in run.replies:
            told[Cell(run.table, run.workload, run.temperature, run.slots, run.rate), run.contender] += reply.rounds
    names = list(dict.fromkeys(name for (_, name), kept in told.items() if any(each.drafted for each in kept)))
    cells = list(dict.fromkeys(cell for cell, _ in told))
    rows = [[f"{cell.workload}, {cell.temperature:g}", *(efficiency(told[cell, name]) for name in names)] for cell in cells]
    return table(["tokens a pass", *names], rows)


def efficiency(kept: Sequence[Round]) -> str:
    return f"{1 + sum(each.accepted for each in kept) / len(kept):.2f}" if kept else "–"


def speed_up(compared: Comparison | None) -> str:
    """`2.11 (1.45–3.08)`, or that it was refused."""
    if compared is None:
        return ""
    return interval(compared.speed_up) if compared.speed_up else "(refused)"


def interval(found: Estimate) -> str:
    low, high = ("?" if end is None else f"{end:.2f}" for end in (found.low, found.high))
    return f"×{found.value:.2f} ({low}–{high})"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows])


TABLES: dict[str, Callable[[Sequence[Run]], str]] = {"one": one, "widths": widths, "service": service, "rounds": rounds}
