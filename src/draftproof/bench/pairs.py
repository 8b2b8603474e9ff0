"""Runs that did the same work next to each other in time, with a draft and without."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from draftproof.bench.run import Run


class Pair(NamedTuple):
    """The same orders in the same repeat, served by one engine with a draft and without."""

    drafting: Run
    plain: Run

    @property
    def timed(self) -> bool:
        """Whether both sides emitted something. If not, there is no time of a token to compare."""
        return all(run.tokens > 0 and run.seconds > 0 for run in self)

    @property
    def ratio(self) -> float:
        """How many times the tokens a second that the engine emits without a draft, of a pair that is timed."""
        return pace(self.plain) / pace(self.drafting)

    @property
    def same_text(self) -> bool:
        return digests(self.drafting) == digests(self.plain)


def pace(run: Run) -> float:
    """Seconds a token."""
    return run.seconds / run.tokens


def digests(run: Run) -> tuple[str, ...]:
    return tuple(reply.digest for reply in run.replies)


def places(run: Run) -> tuple[int, ...]:
    return tuple(reply.place for reply in run.replies)


def paired(drafting: Iterable[Run], plain: Iterable[Run]) -> Iterator[Pair]:
    """Each drafting run with its partner; a run without one is left out."""
    partners = {(run.repeat, places(run)): run for run in plain}
    for run in drafting:
        partner = partners.get((run.repeat, places(run)))
        if partner:
            yield Pair(run, partner)
