"""Work spread over processes of this machine; results come as they are finished."""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def each(
    work: Callable[[Item], Outcome], items: Iterable[Item], *, workers: int, prepare: Callable[[], None] | None = None
) -> Iterator[Outcome]:
    """`work(item)` for every item, in the order in which they finish. One worker works in this very process.

    Args:
        work: a function of a module, with a result that can be sent between processes.
        prepare: called once in each worker before it works, but not in this process.

    Raises:
        whatever `work` raises; and if the iteration is left early, work in progress is ended at once.
    """
    if workers == 1:
        yield from map(work, items)
        return
    before = multiprocessing.active_children()
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(prepare,))
    finished = False
    try:
        for future in as_completed([pool.submit(work, item) for item in items]):
            yield future.result()
        finished = True
    finally:
        if not finished:
            for process in multiprocessing.active_children():
                if process not in before:
                    process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(prepare: Callable[[], None] | None) -> None:
    """An interruption is for the parent to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if prepare:
        prepare()
