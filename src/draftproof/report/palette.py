"""The colours of every page and picture, by what they mean: on light, on dark and on paper."""

LIGHT = {
    "page": "#fbfaf8",
    "panel": "#ffffff",
    "ink": "#1f2226",
    "soft": "#5b616b",
    "line": "#dedbd4",
    "good": "#1d7048",
    "bad": "#b02a20",
    "open": "#80590a",
    "blue": "#2359b5",
    "orange": "#b0500a",
    "teal": "#0b7364",
    "pink": "#a0306f",
    "olive": "#676300",
}

DARK = {
    "page": "#16181b",
    "panel": "#1d2024",
    "ink": "#e7e5e0",
    "soft": "#a3a9b3",
    "line": "#363b42",
    "good": "#74cda0",
    "bad": "#ff9187",
    "open": "#e3b960",
    "blue": "#8ab2ff",
    "orange": "#f2a35c",
    "teal": "#5fcdb8",
    "pink": "#ee98ca",
    "olive": "#cdc75c",
}

PAPER = LIGHT | {
    "page": "#fff",
    "panel": "#fff",
    "ink": "#000",
    "soft": "#444",
    "line": "#bbb",
    "good": "#14603b",
    "bad": "#9c1d14",
    "open": "#6b4900",
}

SERIES = ("blue", "orange", "teal", "pink", "olive", "soft")
"""Of lines that stand for things of equal rank, in order. Each line has a pattern too, for those who do not see its colour."""
