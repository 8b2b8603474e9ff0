"""A decoded text, and where each of its tokens came from."""

from typing import Any

from rich.text import Text

from draftproof.catalogue import Entry
from draftproof.engine import Completion, Origin, Piece
from draftproof.report.text import printable

MARKS = {Origin.ACCEPTED: ("[", "]"), Origin.RECOVERED: ("~", ""), Origin.BONUS: ("+", ""), Origin.PLAIN: ("", "")}
"""Around a token, where there is no colour."""

BREAK, SHOWN_BREAK = "\n", "\u23ce"
"""Within marks a line break is shown by its sign, and follows them."""

STYLES = {Origin.ACCEPTED: "green", Origin.RECOVERED: "red", Origin.BONUS: "cyan", Origin.PLAIN: ""}

MEANINGS = {
    Origin.ACCEPTED: "drafted and kept",
    Origin.RECOVERED: "the target's, in place of a refused one",
    Origin.BONUS: "the target's, after a draft kept whole",
    Origin.PLAIN: "nothing was drafted",
}


def legend(*, colour: bool) -> Text:
    """What the colours or marks of `marked` mean."""
    parts: list[Any] = ["tokens: "]
    for place, origin in enumerate(Origin):
        parts += [", " if place else "", _shown(str(origin), origin, colour=colour), f" ({MEANINGS[origin]})"]
    return Text.assemble(*parts)


def marked(piece: Piece, *, colour: bool) -> Text:
    """The text of one token, coloured or marked by its origin."""
    return _shown(visible(piece.text), piece.origin, colour=colour)


def _shown(text: str, origin: Origin, *, colour: bool) -> Text:
    if colour or not text or not any(MARKS[origin]):
        return Text(text, style=STYLES[origin] if colour else "")
    before, after = MARKS[origin]
    return Text(f"{before}{text.replace(BREAK, SHOWN_BREAK)}{after}" + BREAK * text.count(BREAK))


def visible(text: str) -> str:
    """The text with control characters, but for tabs and line breaks, as their escapes: a model may write any."""
    return "".join(char if char in "\n\t" else printable(char) for char in text)


def summary(done: Completion, *, seconds: float) -> Text:
    """One line on how the text came about."""
    ended = done.finish or "interrupted"
    drafts = f"{done.accepted} of {done.drafted} drafted tokens accepted" if done.drafted else "no drafts"
    return Text(
        f"{len(done.tokens)} tokens in {len(done.steps)} rounds ({done.block_efficiency:.2f} a round), {drafts}, "
        f"{seconds:.1f} s, seed {done.seed}, ended by {ended}"
    )


def completion_content(done: Completion, pieces: list[Piece], rule: Entry, *, seconds: float) -> dict[str, Any]:
    """For a program."""
    return {
        "text": done.text,
        "finish": done.finish or "interrupted",
        "seed": done.seed,
        "rule": rule.name,
        "prompt_tokens": len(done.prompt),
        "tokens": [piece._asdict() for piece in pieces],
        "rounds": [{"emitted": len(step.tokens), "drafted": step.drafted, "accepted": step.accepted} for step in done.steps],
        "drafted": done.drafted,
        "accepted": done.accepted,
        "seconds": seconds,
    }
