"""The two streams: stdout for the result, stderr for everything else. Colour only on a terminal, and never under NO_COLOR."""

import errno
import os
import signal
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""What writing to a disk that is full, or to one that fails, raises."""


def end_with_the_reader() -> None:
    """Let the program end in silence when whoever reads its output goes away, as `head` does."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def check_open() -> None:
    """Return if there is somewhere to write a result to.

    Raises:
        BadRequest: stdout is closed.
    """
    from draftproof.errors import BadRequest

    if sys.stdout is None:
        raise BadRequest("stdout is closed, so there is nowhere to write a result to; redirect it to a file or to /dev/null")


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
