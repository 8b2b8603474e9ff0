"""The two streams: stdout for the result, stderr for everything else. Colour only on a terminal, and never under NO_COLOR."""

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def result_console() -> "Console":
    """Where a result is written for a reader."""
    return _console(stderr=False)


def notice_console() -> "Console":
    """Where progress and errors are written."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> "Console":
    from rich.console import Console

    # rich drops colours alone under NO_COLOR, and keeps other escape codes; without a colour system it writes none.
    system = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=stderr, color_system=system, highlight=False, markup=False, emoji=False)  # type: ignore[arg-type]


def use_any_encoding() -> None:
    """Let both streams take every character: one that their encoding lacks is written as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_result(text: str) -> None:
    """Write text for a program to stdout as it stands."""
    sys.stdout.write(text)
    sys.stdout.flush()


def notice(text: str) -> None:
    """Write one line to stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def write_lines(lines: Iterable["RenderableType"]) -> None:
    """Write lines for a reader: wrapped to a terminal, each whole in a file or a pipe."""
    console = result_console()
    for line in lines:
        console.print(line, soft_wrap=not sys.stdout.isatty())
