"""The same calls in several processes, for drafts: such a call has one request, and most of its time is one core's Python.

Two processes on two cores answer nearly twice as fast. Calls without drafts have many requests each and need no second process.
"""

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import cache

from draftproof.audit.engines.hf import Transformers
from draftproof.audit.engines.hf_call import Call
from draftproof.audit.engines.protocol import Answer, Ask, Facts
from draftproof.errors import Unavailable


class SpreadTransformers:
    """`Transformers` of the same arguments in each of several processes. Entering starts them, leaving ends them.

    Args:
        workers: processes, each with its own copy of the models and one thread.
    """

    def __init__(self, call: Call, *, workers: int, laws: bool = False) -> None:
        self._call, self._workers, self._laws = call, workers, laws
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "SpreadTransformers":
        """Processes that answer.

        Raises:
            BadRequest, Unsupported: as `Transformers.__enter__`.
            Unavailable: a process died.
        """
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(self._workers, context, initializer=_begin, initargs=(self._call, self._laws))
        try:
            self._pool.submit(_answers, ()).result()
        except BrokenProcessPool as error:
            self.__exit__()
            raise _died() from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    @property
    def facts(self) -> Facts:
        """Those of one process: the law does not depend on how many there are."""
        return Transformers(self._call, laws=self._laws).facts

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        """See `Transformers.answers`; what an answer without a seed draws from is another seed in every process."""
        assert self._pool is not None, "an engine is asked between entering and leaving"
        waiting: list[Future[list[Answer]]] = []
        try:
            waiting += [self._pool.submit(_answers, (ask,)) for ask in asks]
            for future in as_completed(waiting):
                yield from future.result()
        except BrokenProcessPool as error:
            raise _died() from error
        finally:
            for future in waiting:
                future.cancel()


def _died() -> Unavailable:
    return Unavailable(
        "a process in which transformers ran died; its answers so far stand, start it again, with fewer processes if memory ran out"
    )


_given: list[tuple[Call, bool]] = []
"""In a process that answers: the call, and whether laws are asked for."""


def _begin(call: Call, laws: bool) -> None:
    """Nothing is loaded yet, since an error here would not be told. An interruption is for the parent to handle."""
    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)
    torch.seed()  # the same in every new process otherwise, and so would be the answers without a seed
    _given.append((call, laws))


@cache
def _engine() -> Transformers:
    ((call, laws),) = _given
    return Transformers(call, laws=laws).__enter__()


def _answers(asks: Sequence[Ask]) -> list[Answer]:
    return list(_engine().answers(asks))
