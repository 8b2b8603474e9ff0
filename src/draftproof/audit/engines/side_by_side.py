"""Several requests under way at once, and the first failure ends them all."""

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


def side_by_side(asks: Sequence[Asked], answer: Callable[[Asked, Event], Answered], *, workers: int) -> Iterator[Answered]:
    """The answers to all, as they come.

    Args:
        answer: answers one; it may look at the event, which is set when no answer is wanted any more.

    Raises:
        the first thing that `answer` raises. Then, or when nobody asks this iterator for more, no further request is begun, and
        those under way are not waited for.
    """
    todo: SimpleQueue[Asked] = SimpleQueue()
    done: SimpleQueue[tuple[Answered, None] | tuple[None, BaseException]] = SimpleQueue()
    enough = Event()
    for ask in asks:
        todo.put(ask)

    def work() -> None:
        while not enough.is_set():
            try:
                done.put((answer(todo.get_nowait(), enough), None))
            except Empty:
                return
            except BaseException as error:
                done.put((None, error))
                return

    for _ in range(min(workers, len(asks))):
        Thread(target=work, name="ask", daemon=True).start()
    try:
        for _ in asks:
            answered, error = done.get()
            if error is not None:
                raise error
            yield answered  # type: ignore[misc]  # the pair is one of the two
    finally:
        enough.set()
