"""The catalogue of rules as a table and as JSON values."""

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from draftproof.catalogue import Entry
from draftproof.report.text import Indented
from draftproof.tree import Siblings

DRAWN = {
    Siblings.DISTINCT: "siblings without replacement",
    Siblings.INDEPENDENT: "siblings independent",
    Siblings.TOP_PLUS_ONE: "the likeliest and one draw",
}

LEGEND = (
    "exact: the emitted text has exactly the law that is named.",
    "declared: a lossy rule; it follows another law than the target's, and names it. p is the target's law, q the draft's.",
    "needs q: right only for draft tokens drawn from the very q that is handed over; any: for a draft of any origin.",
    "siblings: how several draft tokens at one place must be drawn.",
)


def rule_lines(entries: Iterable[Entry]) -> list[Text | Indented]:
    """Two lines a rule, of which the first is a row of a table."""
    listed = list(entries)
    name_width = max(len(entry.name) for entry in listed)
    lines: list[Text | Indented] = [Text(f"{'rule':<{name_width}}  {'law':<8}  {'q':<7}  draft")]
    for entry in listed:
        lines.append(
            Text.assemble(
                (f"{entry.name:<{name_width}}", "cyan"),
                "  ",
                ("exact   ", "green") if entry.exact else ("declared", "yellow"),
                f"  {'needs q' if entry.needs_draft_law else 'any':<7}  {_shape(entry)}",
            )
        )
        law = entry.law.removeprefix("declared: ")
        lines.append(Indented(Text(f"law: {law}; cost: {entry.cost}; {entry.source}"), 4))
    return lines


def rules_content(entries: Iterable[Entry]) -> dict[str, Any]:
    """The table as JSON values."""
    return {
        "rules": [
            {
                "name": entry.name,
                "exact": entry.exact,
                "law": entry.law,
                "needs_draft_law": entry.needs_draft_law,
                "draft": "chain" if entry.siblings is None else "tree",
                "siblings": entry.siblings,
                "cost": entry.cost,
                "source": entry.source,
            }
            for entry in entries
        ]
    }


def _shape(entry: Entry) -> str:
    return "chain" if entry.siblings is None else f"tree, {DRAWN[entry.siblings]}"
