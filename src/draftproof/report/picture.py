"""An explanation for a terminal: a table of fractions, bars, and sentences. Readable without colour."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from draftproof.report.document import LAWS
from draftproof.report.explanation import Explanation
from draftproof.report.numbers import both, written
from draftproof.report.text import Indented, printable


class Part(NamedTuple):
    """One kind of piece that bars are made of.

    Attributes:
        glyph, plain: the sign for it, and the one for an output that has ASCII only.
        style: its colour.
        meaning: the line of the legend.
    """

    glyph: str
    plain: str
    style: str
    meaning: str


OVERLAP = Part("█", "#", "green", "overlap: drafted and kept")
EXCESS = Part("×", "x", "red", "excess: drafted and refused")
DEFICIT = Part("░", ".", "cyan", "deficit: emitted through the residual")
FALLBACK = Part("▒", "+", "yellow", "emitted by a wrong fallback, which draws from the whole target")

LONGEST_NAME = 16
"""Cells of a token's name beside its bars; a longer name is shortened there and whole in the table."""

WIDEST_BAR = 72
"""Cells. Longer bars are harder to compare, not easier."""

RULE, WRONG = "  rule   ", "  wrong  "
"""The labels of the two bars of a token."""


class Picture:
    """Renders an explanation at the width it is given."""

    def __init__(self, explanation: Explanation) -> None:
        self.of = explanation

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        ascii_only = options.ascii_only
        yield Text("One drafted token under standard rejection")
        yield Text()
        yield from _tables(self.of, console, options)
        yield Text()
        yield from _bars(self.of, options.max_width, ascii_only)
        yield Text()
        for part in (OVERLAP, EXCESS, DEFICIT, FALLBACK):
            yield Text.assemble("  ", (_glyph(part, ascii_only) * 2, part.style), "  ", part.meaning)
        yield Text()
        yield from sentences(self.of)


def sentences(of: Explanation) -> list[Text]:
    """What the numbers say, a sentence each."""
    said = [
        f"A draft token is kept with probability {written(of.overlap)} and refused with probability {written(of.refusal)}.",
        "The output is the target's law, exactly." if of.output == of.target else "The output is NOT the target's law.",
    ]
    if of.residual is None:
        said.append("There is no residual.")
    elif of.wrong_distance:
        said.append(f"A wrong fallback that draws from the whole target is {written(of.wrong_distance)} away from it in total variation.")
    else:
        said.append("The residual is the target itself, so a wrong fallback that draws from the whole target would not show on these rows.")
    return [Text(sentence) for sentence in said] + [Text(printable(case.sentence), style="yellow") for case in of.cases]


# ---------------------------------------------------------------- numbers


def _columns(of: Explanation) -> dict[str, Sequence[Fraction | None]]:
    laws: dict[str, Sequence[Fraction | None]] = {name: getattr(of, name) or [None] * len(of.tokens) for name in LAWS}
    return {**laws, "wrong fallback": of.wrong_output}


def _tables(of: Explanation, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
    """One table if it fits, else two, else a block of lines a token: nothing is cut off."""
    columns = _columns(of)
    names = list(columns)
    for split in ([names], [names[:5], names[5:]]):
        tables = [_table(of, {name: columns[name] for name in part}) for part in split]
        if all(console.measure(table, options=options.update(width=10**6)).maximum <= options.max_width for table in tables):
            for number, table in enumerate(tables):
                yield from [Text()] * bool(number)
                yield table
            return
    for place, token in enumerate(of.tokens):
        yield Text(printable(token), style="cyan")
        for name, values in columns.items():
            value = values[place]
            line = "none" if value is None else both(value)
            yield Indented(Text(f"{name}: {line}"), 2)


def _table(of: Explanation, columns: dict[str, Sequence[Fraction | None]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    table.add_column("token", no_wrap=True)
    for name in columns:
        table.add_column(name.replace("wrong ", "wrong\n"), justify="right", no_wrap=True, vertical="bottom")
    for place, token in enumerate(of.tokens):
        cells = ["none" if values[place] is None else str(values[place]) for values in columns.values()]
        table.add_row(Text(printable(token), style="cyan"), *map(Text, cells))
    totals = ["none" if values[0] is None else str(sum(value for value in values if value is not None)) for values in columns.values()]
    table.add_row(Text("sum"), *map(Text, totals))
    return table


# ---------------------------------------------------------------- bars


def _bars(of: Explanation, width: int, ascii_only: bool) -> Iterator[RenderableType]:
    """Two bars a token: how draft and target overlap, and below it what a wrong fallback would emit."""
    indent = min(max(Text(printable(token)).cell_len for token in of.tokens), LONGEST_NAME)
    # Two cells stay free, since a bar of three pieces may be that much too long: see `_bar`.
    room = min(max(width - indent - len(RULE) - 2, 8), WIDEST_BAR)
    unit = room / max(map(float, (*of.target, *of.draft, *of.wrong_output)))
    for place, token in enumerate(of.tokens):
        name = Text(printable(token), style="cyan", no_wrap=True)
        name.truncate(indent, overflow="crop" if ascii_only else "ellipsis", pad=True)
        kept = (OVERLAP, of.kept[place])
        yield name + RULE + _bar([kept, (EXCESS, of.refused[place]), (DEFICIT, of.deficit[place])], unit, ascii_only)
        yield Text(" " * indent + WRONG) + _bar([kept, (FALLBACK, of.wrong_output[place] - of.kept[place])], unit, ascii_only)


def _bar(parts: Sequence[tuple[Part, Fraction]], unit: float, ascii_only: bool) -> Text:
    """Pieces end to end, each rounded to where it ends; one that is not zero takes at least one cell."""
    bar, end = Text(no_wrap=True), Fraction(0)
    for part, amount in parts:
        end += amount
        cells = max(round(float(end) * unit) - bar.cell_len, 1) if amount else 0
        bar.append(_glyph(part, ascii_only) * cells, part.style)
    return bar


def _glyph(part: Part, ascii_only: bool) -> str:
    return part.plain if ascii_only else part.glyph
