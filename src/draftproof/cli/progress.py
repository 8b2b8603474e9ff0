"""Signs of life on stderr: a moving line on a terminal, elsewhere a plain line now and then, or nothing."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Protocol, runtime_checkable

from draftproof.cli.terminal import notice, notice_console

INTERVAL_S = 10.0
"""Between two plain lines."""


@runtime_checkable
class Progress(Protocol):
    """What a verb tells about its work."""

    def at(self, number: int, subject: str, total: int | None = None) -> None:
        """Part `number` has begun; the work has `total` parts, if that was not known before."""
        ...

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the moving line away while a result is written: both may be on one terminal."""
        ...


@contextmanager
def progress(total: int, *, wanted: bool) -> Iterator[Progress]:
    """Show progress through `total` parts until the block ends."""
    if not wanted:
        yield Silent()
    elif sys.stderr.isatty():
        moving = MovingLine(total)
        with moving.line:
            yield moving
    else:
        plain = PlainLines(total)
        try:
            plain.thread.start()
            yield plain
        finally:
            plain.over.set()
            plain.thread.join()


class Silent:
    """No sign at all."""

    def at(self, number: int, subject: str, total: int | None = None) -> None:
        pass

    @contextmanager
    def paused(self) -> Iterator[None]:
        yield


class MovingLine:
    """One line that is drawn over, and gone at the end."""

    def __init__(self, total: int) -> None:
        from rich import progress as rich_progress

        self.line = rich_progress.Progress(
            rich_progress.SpinnerColumn("line"),
            rich_progress.TextColumn("{task.description}", markup=False),
            rich_progress.TimeElapsedColumn(),
            console=notice_console(),
            transient=True,
            refresh_per_second=4,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.total, self.task = total, self.line.add_task("", total=None)

    def at(self, number: int, subject: str, total: int | None = None) -> None:
        self.total = total or self.total
        self.line.update(self.task, description=subject + _count(number, self.total))

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.line.stop()
        yield
        self.line.start()


class PlainLines:
    """A line every `INTERVAL_S` seconds, for a log."""

    def __init__(self, total: int) -> None:
        self.total, self.number, self.subject = total, 0, ""
        self.started, self.over = time.monotonic(), Event()
        self.thread = Thread(target=self._run, daemon=True)

    def at(self, number: int, subject: str, total: int | None = None) -> None:
        self.number, self.subject, self.total = number, subject, total or self.total

    @contextmanager
    def paused(self) -> Iterator[None]:
        yield

    def _run(self) -> None:
        while not self.over.wait(INTERVAL_S):
            notice(f"{self.subject}{_count(self.number, self.total)}, {time.monotonic() - self.started:.0f} s so far")


def _count(number: int, total: int) -> str:
    """How far the work is; nothing where it has one part, of which it is not known."""
    return f" ({number:,} of {total:,})" if total > 1 else ""
