"""Text that cannot change what a terminal shows around it, and text that keeps its margin."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text


def printable(text: str) -> str:
    """The text with every control character, line break and other unprintable character written as its escape."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


class Indented:
    """Text moved to the right, its further lines too; on a console that does not wrap it is one line."""

    def __init__(self, text: Text, indent: int) -> None:
        self.text, self.indent = text, Text(" " * indent)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if options.no_wrap:
            yield self.indent + self.text
            return
        for line in self.text.wrap(console, options.max_width - len(self.indent), overflow="fold"):
            line.rstrip()
            yield self.indent + line
