"""A figure of matplotlib as SVG that can stand in a page: text as text, colours of the page, a text alternative, and nothing that loads."""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from draftproof.errors import Unsupported
from draftproof.report.palette import DARK, LIGHT
from draftproof.report.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 400
"""Of a drawing, in the units of its text. A phone shows it at nearly this size, and two stand side by side on a wide page."""

COLOURS = {name: f"#0000{place:02}" for place, name in enumerate(LIGHT, start=1)}
"""Each colour of the page, and what stands for it while a figure is drawn."""

SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "draftproof",
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "text.parse_math": False,
    "text.color": COLOURS["ink"],
    "axes.edgecolor": COLOURS["line"],
    "axes.labelcolor": COLOURS["soft"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": COLOURS["line"],
    "ytick.color": COLOURS["line"],
    "xtick.labelcolor": COLOURS["soft"],
    "ytick.labelcolor": COLOURS["soft"],
}
"""DejaVu is wider than most, so what is laid out with it has room in other fonts."""


class Drawing(NamedTuple):
    """A picture, and the same as a table.

    Attributes:
        title: what it shows.
        note: how to read it.
        svg: the element.
        header, rows: of the table.
    """

    title: str
    note: str
    svg: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@contextmanager
def styled() -> Iterator[None]:
    """Inside, figures are made in the manner of the page, and warnings of a missing glyph are silent: the reader's font draws the text.

    Raises:
        Unsupported: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ModuleNotFoundError as error:
        raise Unsupported("a page with figures needs the package matplotlib: pip install matplotlib") from error
    with mpl.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def new_figure(height: float) -> "Figure":
    """An empty figure of `WIDTH`, with `height` in the same units."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH / 72, height / 72), layout="constrained")


@contextmanager
def axes_of(height: float) -> Iterator[tuple["Figure", "Axes"]]:
    """A figure with one pair of axes; inside, it is drawn in the manner of the page."""
    with styled():
        figure = new_figure(height)
        yield figure, figure.add_subplot()


def svg(figure: "Figure", name: str, title: str, description: str) -> str:
    """The figure as an element of a page. Made, like the figure, inside `styled`.

    Args:
        name: of the element; no two figures of a page share one.
        title, description: what it shows, for people who cannot see it.
    """
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    found = re.search(r'viewBox="([^"]*)"[^>]*>(.*)</svg>', file.getvalue(), re.DOTALL)
    assert found, "matplotlib wrote no SVG"
    box, inner = found.groups()
    inner = re.sub(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>|<defs>\s*</defs>|<!--.*?-->", "", inner, flags=re.DOTALL)
    inner = re.sub(r'\b(id="|href="#)|(url\(#)', lambda match: f"{match[0]}{name}-", inner)
    inner = re.sub(r"\s+", " ", inner).replace("> <", "><").replace("font-family: 'DejaVu Sans'; ", "")  # the page has its own
    for colour, stands in COLOURS.items():
        inner = inner.replace(stands, f"var(--{colour})")
    said = (
        f'<title id="{name}-title">{escape(printable(title))}</title>',
        f'<desc id="{name}-said">{escape(printable(description))}</desc>',
    )
    return (
        f'<svg role="img" aria-labelledby="{name}-title {name}-said" viewBox="{box}" xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink">{"".join(said)}{inner.strip()}</svg>'
    )


def standalone(drawn: str) -> str:
    """An element of a page as a file of its own, light or dark as the reader's system is."""
    light, dark = (" ".join(f"--{name}: {colour};" for name, colour in palette.items()) for palette in (LIGHT, DARK))
    style = (
        f"<style>svg {{ color-scheme: light dark; background: var(--page); font-family: system-ui, sans-serif; {light} }} "
        f"@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}</style>"
    )
    return drawn.replace(">", f">{style}", 1) + "\n"
