"""How a campaign ends: complete, by hand, or by a fault of ours. What was found before is reported all the same."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from draftproof.report.verdicts import Ended


@runtime_checkable
class Report(Protocol):
    """A report that says how its campaign ended and how long it took."""

    ended: "Ended"
    seconds: float


@contextmanager
def ending(report: Report) -> Iterator[list[Exception]]:
    """Inside, a campaign runs, and how it ended is noted in the report. Yields a list: of the fault of ours that ended it, if one did."""
    from draftproof.errors import BadRequest
    from draftproof.report.verdicts import Ended

    started, faults = time.perf_counter(), list[Exception]()
    try:
        yield faults
    except KeyboardInterrupt:
        report.ended = Ended.INTERRUPTED
    except (BadRequest, OSError):  # what was asked for, and a reader that went away
        raise
    except Exception as error:
        report.ended = Ended.CRASHED
        faults.append(error)
    finally:
        report.seconds = time.perf_counter() - started
