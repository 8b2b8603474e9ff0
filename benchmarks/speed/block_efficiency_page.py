"""The figure and the tables of docs/efficiency.md, from docs/benchmarks/block_efficiency.json alone."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from draftproof.report.palette import SERIES
from draftproof.report.svg import COLOURS, new_figure, standalone, styled, svg

DOCS = Path(__file__).parents[2] / "docs"
RAW = DOCS / "benchmarks" / "block_efficiency.json"
FIGURE = DOCS / "benchmarks" / "block_efficiency.svg"
PAGE = DOCS / "efficiency.md"

RESAMPLES, CONFIDENCE, SEED = 10_000, 0.95, 0
"""Of the intervals: prompts are drawn again with replacement, since the places of one text are not independent."""

SHOWN = (1, 2, 3, 4, 6, 8)
"""Widths of chains in the tables."""

COMPARED = (2, 4, 8)
"""Widths at which rules are compared."""

CHAINS = {
    "ceiling": "ceiling of all exact rules",
    "block": "block",
    "rejection": "rejection",
    "coupled": "coupled",
    "likeliest": "any rule, the draft's likeliest tokens",
    "match": "match, point_mass",
    "lookup": "any rule, tokens looked up",
}
"""What is drafted as a chain and verified, from the JSON's names to the page's."""

SIBLINGS = {
    "ceiling_distinct": ("ceiling", "distinct"),
    "coupled": ("coupled", "distinct"),
    "recursive": ("recursive, traversal", "distinct"),
    "ceiling_independent": ("ceiling", "independent"),
    "kseq": ("kseq", "independent"),
    "recursive_independent": ("recursive", "independent"),
    "top_plus_one": ("top_plus_one, the ceiling of its draft", "the likeliest, and one drawn"),
    "likeliest": ("match, the ceiling of its draft", "the likeliest"),
}
"""What is drafted at one place and verified, and how it is drafted."""

DOTTED = (
    "ceiling, distinct",
    "coupled, distinct",
    "recursive, distinct",
    "ceiling, independent",
    "kseq, independent",
    "recursive, independent",
    "top_plus_one",
    "match, the likeliest",
)
"""The same, short enough for a figure."""

TREES = {
    "coupled": ("coupled", "distinct"),
    "traversal": ("traversal; block", "distinct"),
    "recursive": ("recursive; rejection", "distinct"),
    "kseq": ("kseq; rejection", "independent"),
    "recursive_independent": ("recursive; rejection", "independent"),
    "match": ("match", "distinct"),
}
"""Rule, and what it is on a chain where it has another name there; and how the first tokens are drawn."""

# ---------------------------------------------------------------- numbers


class Estimate(NamedTuple):
    """A mean over prompts, and its interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {(self.high - self.low) / 2:.3f}"


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of one value a prompt, with a bootstrap interval over prompts."""
    found = np.array(values)
    chosen = np.random.default_rng(SEED).integers(len(found), size=(RESAMPLES, len(found)))
    means = found[chosen].mean(-1)
    return Estimate(float(found.mean()), *(float(edge) for edge in np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])))


def over_texts(data: Mapping[str, Any], temperature: float, value: Callable[[Any], float], workload: str = "") -> Estimate:
    """A value of every text of a temperature, and of a workload if one is named."""
    return estimate([value(text) for text in data["texts"] if text["temperature"] == temperature and workload in text["workload"]])


def temperatures(data: Mapping[str, Any]) -> list[float]:
    return sorted({text["temperature"] for text in data["texts"]})


def chain(data: Mapping[str, Any], temperature: float, name: str, width: int, workload: str = "") -> Estimate:
    """Tokens a target pass of chains of a width."""
    return over_texts(data, temperature, lambda text: text["chain"][name][width - 1], workload)


# ---------------------------------------------------------------- tables


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def chain_table(data: Mapping[str, Any], temperature: float) -> str:
    rows = [[title, *(chain(data, temperature, name, width) for width in SHOWN)] for name, title in CHAINS.items()]
    return table(["rule", *(f"K = {width}" for width in SHOWN)], rows)


def comparison(data: Mapping[str, Any]) -> str:
    """Each rule against rejection on the same drafts, prompt by prompt."""
    rows = []
    for temperature in temperatures(data):
        for name in ("block", "ceiling", "coupled", "match"):
            cells = []
            for width in COMPARED:
                apart = over_texts(
                    data, temperature, lambda text, n=name, at=width - 1: text["chain"][n][at] - text["chain"]["rejection"][at]
                )
                share = apart.mean / chain(data, temperature, "rejection", width).mean
                cells.append(f"{share:+.1%} ({signed(apart)})")
            rows.append([f"{temperature}", CHAINS[name], *cells])
    return table(["temperature", "rule", *(f"K = {width}" for width in COMPARED)], rows)


def signed(apart: Estimate) -> str:
    return f"{apart.low:+.3f} to {apart.high:+.3f}"


def workload_table(data: Mapping[str, Any], width: int = 4) -> str:
    kinds = sorted({text["workload"] for text in data["texts"]}, reverse=True)
    columns = [(temperature, kind) for temperature in temperatures(data) for kind in kinds]
    rows = [[title, *(chain(data, *column[:1], name, width, column[1]) for column in columns)] for name, title in CHAINS.items()]
    return table([f"rule, K = {width}", *(f"{kind}, {temperature}" for temperature, kind in columns)], rows)


def sibling_table(data: Mapping[str, Any]) -> str:
    counts = list(data["texts"][0]["siblings"]["kseq"])
    columns = [(temperature, count) for temperature in temperatures(data) for count in counts]
    rows = [
        [*title, *(over_texts(data, temperature, lambda text, n=name, c=count: text["siblings"][n][c]) for temperature, count in columns)]
        for name, title in SIBLINGS.items()
    ]
    return table(["rule", "tokens drafted", *(f"{count}, {temperature}" for temperature, count in columns)], rows)


def tree_table(data: Mapping[str, Any]) -> str:
    drafted = {text["temperature"]: list(text["tree"]) for text in data["texts"] if text["tree"]}
    columns = [(temperature, shape) for temperature, shapes in drafted.items() for shape in shapes]
    rows = [
        [*title, *(over_texts(data, temperature, lambda text, n=name, s=shape: text["tree"][s][n]) for temperature, shape in columns)]
        for name, title in TREES.items()
    ]
    return table(["rule", "first tokens", *(f"{shape}, {temperature}" for temperature, shape in columns)], rows)


def decode_table(data: Mapping[str, Any]) -> str:
    decode = data["decode"]
    rows = [
        [rule, chain(data, decode["temperature"], rule, decode["width"]), estimate(emitted)] for rule, emitted in decode["emitted"].items()
    ]
    return table(["rule", "by the sums", "counted in a decode"], rows)


def check_table(data: Mapping[str, Any]) -> str:
    rows = [[name, f"{check['gap']:+.4f}", f"{check['standard error']:.4f}", check["of"]] for name, check in data["checks"].items()]
    return table(["rule", "itself less the sum, tokens", "standard error", "drafts"], rows)


def tables(data: Mapping[str, Any]) -> dict[str, str]:
    """Every table of the page, by the name that its place there has."""
    by_temperature = {f"chains {temperature}": chain_table(data, temperature) for temperature in temperatures(data)}
    return by_temperature | {
        "comparison": comparison(data),
        "workloads": workload_table(data),
        "siblings": sibling_table(data),
        "trees": tree_table(data),
        "decode": decode_table(data),
        "checks": check_table(data),
    }


def filled(page: str, data: Mapping[str, Any]) -> str:
    """The page with every table in its place.

    Raises:
        ValueError: the page has no place for a table.
    """
    for name, made in tables(data).items():
        place = re.compile(rf"(<!-- {re.escape(name)}, from the data -->\n).*?(<!-- end of {re.escape(name)} -->)", re.DOTALL)
        if not place.search(page):
            raise ValueError(
                f"docs/efficiency.md has no place for the table {name!r}; add <!-- {name}, from the data --> and <!-- end of {name} -->"
            )
        page = place.sub(lambda match, made=made: f"{match[1]}{made}\n{match[2]}", page)
    return page


# ---------------------------------------------------------------- figure

PATTERNS = {"ceiling": (0, (4, 3)), "likeliest": (0, (6, 2, 1.5, 2)), "lookup": (0, (1.5, 1.5))}
"""Of lines; the others are solid."""

FIGURE_HEIGHT = 640

MARKERS = {"1": "o", "2": "D", "4": "s"}
"""Of numbers of tokens drafted at one place."""


def figure(data: Mapping[str, Any]) -> str:
    """Chains above, several tokens at one place below, at the highest temperature. As a file."""
    shown = temperatures(data)[-1]
    title = f"Tokens a target pass, SmolLM2 drafted by a weaker import of it, temperature {shown}"
    with styled():
        drawing = new_figure(FIGURE_HEIGHT)
        upper, lower = drawing.subfigures(2, 1, height_ratios=(5, 3))
        said = [*_lines(upper.add_subplot(), data, shown), *_dots(lower.add_subplot(), data, shown)]
        upper.legend(loc="outside upper left", frameon=False, handlelength=2.6, labelspacing=0.25, borderpad=0)
        return standalone(svg(drawing, "efficiency", title, "; ".join(said)))


def _lines(axes: Any, data: Mapping[str, Any], temperature: float) -> list[str]:
    """Tokens a target pass by the width of a chain; and the same in words."""
    said = []
    for (name, title), colour in zip(CHAINS.items(), ("ink", *SERIES), strict=True):
        found = [chain(data, temperature, name, width).mean for width in range(1, data["width"] + 1)]
        axes.plot(
            range(len(found) + 1), [1.0, *found], color=COLOURS[colour], linewidth=1.6, linestyle=PATTERNS.get(name, "-"), label=title
        )
        said.append(f"{title}: " + ", ".join(f"{value:.2f}" for value in found))
    axes.set_xlim(0, data["width"])
    axes.set_ylim(bottom=1)
    axes.set_xlabel("tokens drafted as a chain")
    axes.set_ylabel("tokens a target pass")
    return said


def _dots(axes: Any, data: Mapping[str, Any], temperature: float) -> list[str]:
    """Tokens a target pass by rule, for each number of tokens drafted at one place; and the same in words."""
    said = []
    for row, (name, (title, drafted)) in enumerate(SIBLINGS.items()):
        found = [over_texts(data, temperature, lambda text, n=name, c=count: text["siblings"][n][c]).mean for count in MARKERS]
        colour, filled_in = ("ink", "none") if name.startswith("ceiling") else ("blue", "full")
        axes.plot(found, [row] * len(found), color=COLOURS["line"], linewidth=1.2, zorder=1)
        for value, (count, marker) in zip(found, MARKERS.items(), strict=True):
            axes.plot(value, row, marker=marker, color=COLOURS[colour], markersize=5, fillstyle=filled_in)
            if not row:
                axes.annotate(count, (value, row), (0, 7), textcoords="offset points", ha="center", color=COLOURS["soft"])
        said.append(f"{title}, {drafted}: " + ", ".join(f"{value:.2f}" for value in found))
    axes.set_yticks(range(len(SIBLINGS)), DOTTED)
    axes.tick_params(axis="y", length=0, labelcolor=COLOURS["ink"])
    axes.set_ylim(len(SIBLINGS) - 0.5, -1.2)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("tokens a target pass, 1, 2 or 4 at one place")
    return said
