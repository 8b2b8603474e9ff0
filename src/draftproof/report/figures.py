"""The pictures of an audit: the share of every suspect, the growth of evidence, and what was accepted."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from draftproof.proof.campaign import Word
from draftproof.report.judged import Judged, Standing, Suspicion, percent, thinned, written_e
from draftproof.report.svg import COLOURS, Drawing, axes_of, svg
from draftproof.report.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT, LINE, GOOD, BAD, OPEN = (COLOURS[name] for name in ("ink", "soft", "line", "good", "bad", "open"))

STANDINGS = {Standing.REFUTES: BAD, Standing.EXCLUDED: GOOD, Standing.OPEN: OPEN}

EXPECTED = {"predicted": ("predicted", INK, 18, 2.8), "ceiling": ("possible", BAD, 40, 1.3)}
"""What stands beside the observed acceptance: label, colour, length and strength of its dash. Both show where they are equal."""

LONGEST_LABEL = 20
"""Characters of a name beside its interval; the table has it whole."""

ROW = 19
"""Height of an interval."""


def shares(judged: Judged, name: str) -> Drawing:
    """The interval on the share of every suspect, the likeliest at the top."""
    title = "How large a share of each suspect can be"
    found = judged.suspicions
    low, high = _range(judged)
    with axes_of(ROW * len(found) + 52) as (figure, axes):
        axes.axvline(0, color=INK, linewidth=0.9)
        axes.axvline(judged.effect, color=SOFT, linewidth=0.9, linestyle=(0, (4, 3)))
        for row, one in enumerate(found):
            _interval(axes, row, one, low, high)
        axes.set_xlim(low, high)
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.set_yticks(range(len(found)), [_short(one.name) for one in found])
        axes.tick_params(axis="y", length=0, pad=9, labelcolor=INK)
        axes.spines["left"].set_visible(False)
        _percents(axes)
        axes.set_xlabel("share of the emitted tokens")
        drawn = svg(figure, name, title, _shares_said(judged))
    header = ("suspect", "not excluded", "best", "e-value", "seen from", "standing")
    rows = [
        (
            one.name,
            one.shares,
            percent(one.finding.share),
            written_e(one.finding.log_e),
            percent(one.detectable) if one.detectable else "no share",
            one.standing.value if one.watched or one.standing is Standing.REFUTES else f"{one.standing.value}, not watched",
        )
        for one in found
    ]
    note = (
        f"Bars: shares that are not excluded, at confidence {1 - judged.alpha:g}; an arrow goes on. Solid line: no fault. "
        f"Dashed line: {percent(judged.effect)}, which a PASS excludes for every watched suspect. Grey: not watched."
    )
    return Drawing(title, note, drawn, header, rows)


def _range(judged: Judged) -> tuple[float, float]:
    """What the watched intervals need, zero and the goal well inside; others go on beyond."""
    wanted = [one.finding.interval for one in judged.suspicions if one.finding.interval and (one.watched or _refutes(one))]
    low = min([-judged.effect, *(interval[0] for interval in wanted)])
    high = max([2 * judged.effect, *(interval[1] for interval in wanted)])
    room = 0.04 * (high - low)
    return max(low, -1.0) - room, min(high, 1.0) + room


def _refutes(one: Suspicion) -> bool:
    return one.standing is Standing.REFUTES


def _interval(axes: "Axes", row: int, one: Suspicion, low: float, high: float) -> None:
    colour, strength = (STANDINGS[one.standing], 1.0) if one.watched or _refutes(one) else (SOFT, 0.4)
    if one.finding.interval is None:
        axes.text((low + high) / 2, row, "no share fits", color=colour, ha="center", va="center")
        return
    left, right = one.finding.interval
    inside = max(left, low), min(right, high)
    axes.plot(inside, (row, row), color=colour, linewidth=4.5, alpha=strength, solid_capstyle="butt")
    if left < low:
        axes.plot(low, row, marker="<", color=colour, alpha=strength, markersize=7, clip_on=False)
    if right > high:
        axes.plot(high, row, marker=">", color=colour, alpha=strength, markersize=7, clip_on=False)
    if right - left < 0.02 * (high - low):  # a bar that short would not be seen
        axes.plot(sum(inside) / 2, row, marker="o", color=colour, alpha=strength, markersize=6)


def _shares_said(judged: Judged) -> str:
    return "; ".join(f"{one.name}: {one.shares}, {one.standing.value}" for one in judged.suspicions)


def evidence(judged: Judged, name: str) -> Drawing:
    """The growth of evidence against the target's law over the tokens, with the line at which it is refuted."""
    title = "How the evidence against the target's law grew"
    points = thinned(judged.judgement.law.growth()) or [(0, 0.0)]
    line = math.log(1 / judged.alpha)
    with axes_of(230) as (figure, axes):
        colour = BAD if judged.word is Word.FAIL else INK
        axes.axhline(0, color=LINE, linewidth=0.9)
        axes.axhline(line, color=BAD, linewidth=1, linestyle=(0, (4, 3)))
        axes.plot([0, *(tokens for tokens, _ in points)], [0.0, *(log_e for _, log_e in points)], color=colour, linewidth=1.6)
        axes.margins(x=0.02)
        highest, lowest = max(line, *(log_e for _, log_e in points)), min(0.0, *(log_e for _, log_e in points))
        axes.set_ylim(lowest - 0.08 * (highest - lowest), highest + 0.16 * (highest - lowest))
        at, align = (0.98, "right") if points[-1][1] > 2 * line else (0.02, "left")  # where the curve is not
        height = line + 0.02 * (highest - lowest)
        axes.text(at, height, f"refuted above {line:.1f}", transform=axes.get_yaxis_transform(), ha=align, va="bottom", color=BAD)
        axes.set_xlabel("tokens judged")
        axes.set_ylabel("ln e (nats)")
        _thousands(axes)
        drawn = svg(figure, name, title, f"after {points[-1][0]:,} tokens ln e is {points[-1][1]:.2f}; refuted above {line:.2f}")
    rows = [(f"{tokens:,}", f"{log_e:.2f}") for tokens, log_e in points[:: -(-len(points) // 10)]]
    last = (f"{points[-1][0]:,}", f"{points[-1][1]:.2f}")
    note = (
        "What a stake of 1 has become that wins only if the law is wrong, as a logarithm. The law is refuted above "
        f"{line:.1f} = ln(1/{judged.alpha:g}), where a right engine ever gets with probability {judged.alpha:g} at most."
    )
    return Drawing(title, note, drawn, ("tokens", "ln e"), [*rows, *([last] if last not in rows else [])])


def positions(values: Mapping[str, Any], name: str) -> Drawing:
    """What was kept at each position of a draft, beside what is predicted and what is possible, as far as those are known."""
    title = "Acceptance by position, against prediction"
    places, drafts = [int(place) for place in values["position"]], [int(count) for count in values["drafts"]]
    shares = {side: [float(share) for share in values[side]] for side in ("observed", *EXPECTED) if side in values}
    observed = shares["observed"]
    with axes_of(230) as (figure, axes):
        axes.bar(places, observed, width=0.55, color=SOFT, alpha=0.45, label="observed")
        spread = [1.96 * math.sqrt(max(share * (1 - share), 0.0) / max(count, 1)) for share, count in zip(observed, drafts, strict=True)]
        axes.errorbar(places, observed, yerr=spread, fmt="none", ecolor=SOFT, elinewidth=1.1, capsize=3)
        for side, (label, colour, length, strength) in EXPECTED.items():
            if side in shares:
                (marks,) = axes.plot(places, shares[side], linestyle="none", marker="_", color=colour, label=label, zorder=3 - length / 40)
                marks.set(markersize=length, markeredgewidth=strength)
        axes.set_xticks(places)
        axes.set_ylim(0, max(1.0, *(share for each in shares.values() for share in each)) * 1.02)
        axes.set_xlabel("position in the draft")
        axes.set_ylabel("kept, of those reached")
        axes.legend(frameon=False, loc="lower right", handlelength=1, ncols=3, bbox_to_anchor=(1.0, 1.0), markerscale=0.5, borderpad=0)
        said = "; ".join(f"position {place}: {observed[row]:.3f} of {drafts[row]:,} kept" for row, place in enumerate(places))
        drawn = svg(figure, name, title, said)
    rows = [(str(place), f"{drafts[row]:,}", *(f"{share[row]:.4f}" for share in shares.values())) for row, place in enumerate(places)]
    note = "Bars: observed, with 95% of what chance would spread. Dashes: predicted for the rule, and the most that any exact rule keeps."
    return Drawing(title, note, drawn, ("position", "reached", *shares), rows)


def accepted(values: Mapping[str, Any], name: str) -> Drawing:
    """How many rounds accepted how many tokens."""
    title = "Rounds by number of tokens accepted"
    counts = [int(count) for count in values["histogram"]]
    with axes_of(230) as (figure, axes):
        axes.bar(range(len(counts)), counts, width=0.7, color=SOFT, alpha=0.45)
        axes.set_xticks(range(len(counts)))
        axes.set_xlabel("tokens accepted in a round")
        axes.set_ylabel("rounds")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.margins(y=0.08)
        said = "; ".join(f"{number} accepted: {count:,} rounds" for number, count in enumerate(counts))
        drawn = svg(figure, name, title, said)
    rows = [(str(number), f"{count:,}", percent(count / max(sum(counts), 1))) for number, count in enumerate(counts)]
    return Drawing(title, "An audited rule needs rounds at both ends, and some between.", drawn, ("accepted", "rounds", "share"), rows)


def _percents(axes: "Axes") -> None:
    axes.xaxis.set_major_formatter(lambda value, _: percent(round(value, 6)).replace("-", "\u2212"))
    axes.locator_params(axis="x", nbins=5)


def _thousands(axes: "Axes") -> None:
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.locator_params(axis="x", nbins=5, integer=True)


def _short(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= LONGEST_LABEL else shown[: LONGEST_LABEL - 1] + "…"
