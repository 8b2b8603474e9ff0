"""A figure as a file of its own: sound, with its colours in it, for light and dark."""

from xml.etree import ElementTree

from draftproof.report.palette import DARK, LIGHT, PAPER, SERIES
from draftproof.report.svg import COLOURS, axes_of, standalone, svg


def drawn() -> str:
    with axes_of(100) as (figure, axes):
        axes.plot([0, 1], [0, 1], color=COLOURS["blue"])
        return svg(figure, "one", "a title", "what it shows")


def test_every_colour_of_a_page_is_known_on_every_ground():
    assert LIGHT.keys() == DARK.keys() == PAPER.keys() == COLOURS.keys()
    assert set(SERIES) <= LIGHT.keys()
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_lines_are_told_from_the_ground():
    for palette, ground in ((LIGHT, "panel"), (DARK, "panel")):
        for name in (*SERIES, "ink", "soft", "good", "bad", "open"):
            assert contrast(palette[name], palette[ground]) >= 4.5, name


def contrast(one: str, other: str) -> float:
    """Of the Web Content Accessibility Guidelines."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_file_of_its_own_has_its_colours_in_it():
    element, file = drawn(), standalone(drawn())
    assert "var(--blue)" in element
    assert "<style>" not in element
    root = ElementTree.fromstring(file)
    assert root[0].tag.endswith("style")
    assert f"--blue: {LIGHT['blue']};" in file
    assert f"--blue: {DARK['blue']};" in file
    assert "prefers-color-scheme: dark" in file
