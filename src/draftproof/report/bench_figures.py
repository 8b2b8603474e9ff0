"""The pictures of a benchmark: all speed-ups, speed-up by width, waits, throughput by slots, and the rounds of one request."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from draftproof.bench.run import Reply
from draftproof.report.palette import SERIES
from draftproof.report.svg import COLOURS, Drawing, axes_of, new_figure, styled, svg
from draftproof.report.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT, GOOD, PANEL = (COLOURS[name] for name in ("ink", "soft", "good", "panel"))

PATTERNS = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (9, 3)))
"""Of lines. There is one pattern fewer than there are colours, so that thirty lines all differ."""

MARKERS = "osD^v"

LONGEST_LABEL = 48
"""Characters of a name in a legend; the table has it whole."""

LEGEND_LINE = 16
"""Height of a line of a legend."""

MOST_STEPS = 200
"""Of a line of waits: more would not be seen."""

BY_FACTORS = 10

SHORTEST_MS = 0.01
"""Of a wait that is drawn; a shorter one is drawn as long."""

MOST_TICKS = 7
"""Numbers along an axis of times, before they touch."""

INTERVAL = 15
"""Height of an interval."""

LONGEST_PLACE = 28
"""Characters of what stands beside it."""


class Ratio(NamedTuple):
    """A speed-up that is told or refused.

    Attributes:
        where: the workload, with what else tells it from others of its table.
        name: of the contender.
        told: the speed-up and the two ends of its interval; None if it is refused.
    """

    where: str
    name: str
    told: tuple[float, float, float] | None


class Spot(NamedTuple):
    """One measured ratio at one width.

    Attributes:
        name: of the contender.
        width: tokens drafted in a round at most.
        ratio, low, high: the speed-up and its interval.
    """

    name: str
    width: int
    ratio: float
    low: float
    high: float


def speed_ups(ratios: Sequence[Ratio], name: str) -> Drawing:
    """Every speed-up of a table with its interval, one below the other, against the line of no gain."""
    title = "Speed-ups, told and refused"
    styles = _styles([one.name for one in ratios if one.told])
    with axes_of(60 + INTERVAL * len(ratios) + LEGEND_LINE * len(styles)) as (figure, axes):
        axes.axvline(1, color=INK, linewidth=0.9)
        for label, style in styles.items():
            rows, told = zip(*((row, one.told) for row, one in enumerate(ratios) if one.name == label and one.told), strict=True)
            middles, lows, highs = zip(*told, strict=True)
            spread = [[x - low for x, low in zip(middles, lows, strict=True)], [high - x for x, high in zip(middles, highs, strict=True)]]
            look: dict[str, Any] = {"fmt": style["marker"], "color": style["color"], "markersize": 5, "elinewidth": 1.4, "capsize": 3}
            axes.errorbar(middles, rows, xerr=spread, label=_short(label), **look)
        for row, one in enumerate(ratios):
            if not one.told:
                axes.text(1, row, " refused", color=SOFT, fontsize=8.5, va="center")
        firsts = [row for row, one in enumerate(ratios) if row == 0 or ratios[row - 1].where != one.where]
        axes.set_yticks(firsts, [_short(ratios[row].where, LONGEST_PLACE) for row in firsts])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.spines["left"].set_visible(False)
        axes.set_ylim(len(ratios) - 0.4, -0.6)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlim(0, 1.05 * max(1.5, *(one.told[2] for one in ratios if one.told)))
        axes.set_xlabel("times as fast as without drafts")
        _legend(figure, len(styles))
        shown = [(one.where, one.name, *_ratio(one)) for one in ratios]
        drawn = svg(figure, name, title, "; ".join(f"{contender} on {where}: {ratio}" for where, contender, ratio, _ in shown))
    note = "Marks: speed-ups, with a 95% interval. Right of the line drafts pay; where an interval crosses it, that is not known."
    return Drawing(title, note, drawn, ("workload", "contender", "speed-up", "interval"), shown)


def _ratio(one: Ratio) -> tuple[str, str]:
    """The speed-up and its interval in words."""
    return (f"{one.told[0]:.2f}", f"{one.told[1]:.2f} to {one.told[2]:.2f}") if one.told else ("refused", "")


def by_width(spots: Sequence[Spot], curves: Mapping[str, Sequence[tuple[int, float]]], name: str) -> Drawing:
    """Measured speed-up at each width, beside the curve of the cost model, which may be known at other widths too.

    Args:
        curves: predicted (width, speed-up), by the name of the same contender.
    """
    title = "Speed-up by width, measured and predicted"
    styles = _styles([*(spot.name for spot in spots), *curves])
    with axes_of(230 + LEGEND_LINE * (len(styles) + len(curves))) as (figure, axes):
        axes.axhline(1, color=SOFT, linewidth=0.9)
        for label, curve in curves.items():
            widths, ratios = zip(*curve, strict=True)
            axes.plot(widths, ratios, linewidth=1.4, label=f"predicted for {_short(label)}", **_line(styles[label]))
        for label in dict.fromkeys(spot.name for spot in spots):
            here = [spot for spot in spots if spot.name == label]
            spread = [[spot.ratio - spot.low for spot in here], [spot.high - spot.ratio for spot in here]]
            axes.errorbar(
                [spot.width for spot in here],
                [spot.ratio for spot in here],
                yerr=spread,
                fmt=styles[label]["marker"],
                color=styles[label]["color"],
                markersize=5,
                elinewidth=1.1,
                capsize=3,
                label=_short(label),
            )
        drawn_at = [*(spot.width for spot in spots), *(width for curve in curves.values() for width, _ in curve)]
        axes.locator_params(axis="x", integer=True, nbins=8)
        axes.set_xlim(min(drawn_at) - 0.6, max(drawn_at) + 0.6)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("tokens drafted in a round at most")
        axes.set_ylabel("times as fast as without drafts")
        _legend(figure, len(styles) + len(curves))
        said = "; ".join(f"{spot.name} at width {spot.width}: {spot.ratio:.2f}" for spot in spots)
        drawn = svg(figure, name, title, said)
    predicted = [(label, str(width), "predicted", f"{ratio:.3f}", "") for label, curve in curves.items() for width, ratio in curve]
    rows = [(spot.name, str(spot.width), "measured", f"{spot.ratio:.3f}", f"{spot.low:.3f} to {spot.high:.3f}") for spot in spots]
    note = "Marks: measured, with a 95% interval. Lines: what the measured cost of a pass and the acceptance at each place predict."
    return Drawing(title, note, drawn, ("contender", "width", "", "speed-up", "interval"), [*rows, *predicted])


def waits(title: str, seconds: Mapping[str, Sequence[float]], name: str, *, of: str, note: str = "") -> Drawing:
    """What share of waits was at most how long.

    Args:
        seconds: every wait, by contender; none without one.
        of: what was waited for, in the plural.
        note: what else is to be known of such waits.
    """
    styles = _styles(seconds)
    with axes_of(220 + LEGEND_LINE * len(styles)) as (figure, axes):
        for label, found in seconds.items():
            times, shares = _steps([1000 * one for one in found])
            axes.plot(times, shares, drawstyle="steps-post", linewidth=1.6, label=_short(label), **_line(styles[label]))
        _times(axes, [1000 * one for found in seconds.values() for one in found])
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("milliseconds")
        axes.set_ylabel(f"share of {of}")
        _legend(figure, len(styles))
        said = "; ".join(f"{label}: median {1000 * median(found):.1f} ms" for label, found in seconds.items())
        drawn = svg(figure, name, title, said)
    rows = [(label, f"{len(found):,}", *(f"{1000 * at:.1f}" for at in _quarters(found))) for label, found in seconds.items()]
    header = ("contender", of, "shortest, ms", "median, ms", "longest, ms")
    return Drawing(title, f"Each line rises to 1 at the longest wait; left is sooner. {note}".rstrip(), drawn, header, rows)


def by_slots(rates: Mapping[str, Mapping[int, Sequence[float]]], name: str) -> Drawing:
    """Tokens a second of all requests together, at each number of slots: the median of the runs, and what they spread over."""
    title = "Throughput by number of requests served at once"
    styles = _styles(rates)
    slots = sorted({number for found in rates.values() for number in found})
    with axes_of(220 + LEGEND_LINE * len(styles)) as (figure, axes):
        for label, found in rates.items():
            places, middles = [slots.index(number) for number in sorted(found)], [median(found[number]) for number in sorted(found)]
            lows, highs = ([edge(found[number]) for number in sorted(found)] for edge in (min, max))
            axes.fill_between(places, lows, highs, color=styles[label]["color"], alpha=0.15, linewidth=0)
            axes.plot(
                places, middles, marker=styles[label]["marker"], markersize=5, linewidth=1.6, label=_short(label), **_line(styles[label])
            )
        axes.set_xticks(range(len(slots)), [str(number) for number in slots])
        axes.set_ylim(bottom=0)
        axes.margins(x=0.05)
        axes.set_xlabel("requests served at once")
        axes.set_ylabel("tokens/s, all together")
        _legend(figure, len(styles))
        said = "; ".join(
            f"{label}: " + ", ".join(f"{median(found[number]):.1f} at {number}" for number in sorted(found))
            for label, found in rates.items()
        )
        drawn = svg(figure, name, title, said)
    rows = [
        (label, str(number), f"{median(found[number]):.1f}", f"{min(found[number]):.1f} to {max(found[number]):.1f}")
        for label, found in rates.items()
        for number in sorted(found)
    ]
    return Drawing(title, "Lines: medians of the runs; shades: all of them.", drawn, ("contender", "slots", "tokens/s", "runs"), rows)


def rounds(replies: Mapping[str, Reply], name: str) -> Drawing:
    """The bursts of one request, one contender above the other on the same clock; where its rounds are told, each as high as it emitted."""
    title = "One request, burst by burst"
    longest = 1000 * max(reply.seconds for reply in replies.values())
    highest = max(accepted + extra for reply in replies.values() for _, accepted, extra, _ in _bursts(reply))
    with styled():
        figure = new_figure(60 + 95 * len(replies))
        all_axes = figure.subplots(len(replies), sharex=True, squeeze=False)[:, 0]
        for axes, (label, reply) in zip(all_axes, replies.items(), strict=True):
            _timeline(axes, reply)
            axes.set_title(_short(label), loc="left", fontsize=10.5, color=INK)
            axes.set_ylim(0, highest * 1.05)
            axes.set_xlim(0, longest * 1.01)
            axes.locator_params(axis="y", integer=True, nbins=3)
            axes.locator_params(axis="x", nbins=6)
        all_axes[-1].set_xlabel("milliseconds after the request arrived")
        said = "; ".join(f"{label}: {len(reply.times)} bursts in {1000 * reply.seconds:.0f} ms" for label, reply in replies.items())
        drawn = svg(figure, name, title, said)
    rows = [
        (label, str(number), f"{1000 * time:.1f}", str(drafted), str(accepted), str(accepted + extra))
        for label, reply in replies.items()
        for number, (time, accepted, extra, drafted) in enumerate(_bursts(reply), start=1)
    ]
    note = (
        "Height: tokens of a round. Green: drafted and kept; what stands on it, or alone: the target's own token after a draft. "
        "Grey: nothing was drafted, or it is not told."
    )
    return Drawing(title, note, drawn, ("contender", "burst", "at, ms", "drafted", "kept", "emitted"), rows)


def _timeline(axes: "Axes", reply: Reply) -> None:
    """Each burst as wide as the time it took and as high as what it brought."""
    earlier = 0.0
    for time, accepted, extra, drafted in _bursts(reply):
        left, wide = 1000 * earlier, 1000 * (time - earlier)
        edge: dict[str, Any] = {"align": "edge", "edgecolor": PANEL, "linewidth": 0.6}
        if accepted:
            axes.bar(left, accepted, wide, color=GOOD, **edge)
        axes.bar(left, extra, wide, bottom=accepted, color=INK if drafted else SOFT, **edge)
        earlier = time


def _bursts(reply: Reply) -> list[tuple[float, int, int, int]]:
    """(seconds, accepted, extra, drafted) of every burst; each counts for one token where rounds are not told, or not one a burst."""
    if len(reply.rounds) == len(reply.times):
        return [(time, one.accepted, 1, one.drafted) for time, one in zip(reply.times, reply.rounds, strict=True)]
    return [(time, 0, 1, 0) for time in reply.times]


def _styles(names: Sequence[str] | Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A colour, a pattern and a mark for each name, none of them twice together."""
    looks = zip(cycle(SERIES), cycle(PATTERNS), cycle(MARKERS), strict=False)
    return {
        name: {"color": COLOURS[colour], "linestyle": pattern, "marker": marker}
        for name, (colour, pattern, marker) in zip(dict.fromkeys(names), looks, strict=False)
    }


def _line(style: dict[str, Any]) -> dict[str, Any]:
    return {name: style[name] for name in ("color", "linestyle")}


def _legend(figure: Any, lines: int) -> None:
    if lines:
        figure.legend(loc="outside upper left", frameon=False, ncols=1, handlelength=2.6, borderpad=0, labelspacing=0.25)


def _steps(found: Sequence[float]) -> tuple[list[float], list[float]]:
    """Where a line of shares rises, and to what: at most `MOST_STEPS` places, the last among them."""
    ordered = sorted(found)
    places = range(len(ordered))[:: -(-len(ordered) // MOST_STEPS)]
    chosen = [*places, *([len(ordered) - 1] if places[-1] != len(ordered) - 1 else [])]
    return [ordered[0], *(ordered[place] for place in chosen)], [0.0, *((place + 1) / len(ordered) for place in chosen)]


def _times(axes: "Axes", milliseconds: Sequence[float]) -> None:
    """A scale from 0 on; by factors if the longest is `BY_FACTORS` times the shortest, with so few numbers that none touch."""
    low, high = max(min(milliseconds), SHORTEST_MS), max(*milliseconds, 2 * SHORTEST_MS)
    if high < BY_FACTORS * low:
        axes.set_xlim(0, 1.05 * high)
        axes.locator_params(axis="x", nbins=MOST_TICKS)
        return
    axes.set_xscale("log")
    axes.set_xlim(low / 1.15, high * 1.15)
    decades = [10.0**power for power in range(-2, 9)]
    fine = [digit * decade for decade in decades for digit in (1, 2, 5) if low <= digit * decade <= high]
    ticks = fine if len(fine) <= MOST_TICKS else [tick for tick in decades if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:,.3g}" if tick < 1000 else f"{tick:,.0f}" for tick in ticks])
    axes.minorticks_off()


def _quarters(found: Sequence[float]) -> tuple[float, float, float]:
    return min(found), median(found), max(found)


def _short(name: str, most: int = LONGEST_LABEL) -> str:
    shown = printable(name)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
