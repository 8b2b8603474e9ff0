"""Runs that did the same work next to each other in time, with a draft and without."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from draftproof.bench.cell import SERVICE
from draftproof.bench.rates import total
from draftproof.bench.run import Reply, Run
from draftproof.bench.totals import Estimate, ratio_of_totals


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
    def ceiling(self) -> float:
        """The ratio that its drafts would bring if no pass of the target took longer with them: tokens a pass.

        Of an engine that does not tell, it is tokens a burst over those without a draft. The end of a text may be a token of a pass and is
        not counted, so one more a text is allowed for.
        """
        passes = total(map(_passes, self.drafting.replies))
        if passes is None:
            return tokens_a_burst(self.drafting.replies) / tokens_a_burst(self.plain.replies)
        return (self.drafting.tokens + len(self.drafting.replies)) / passes

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


def tokens_a_burst(replies: Iterable[Reply]) -> float:
    """The mean over all bursts."""
    counts = [(reply.tokens, len(reply.times)) for reply in replies]
    return sum(tokens for tokens, _ in counts) / max(1, sum(bursts for _, bursts in counts))


def paired(drafting: Iterable[Run], plain: Iterable[Run]) -> Iterator[Pair]:
    """Each drafting run with its partner; a run without one is left out."""
    partners = {(run.repeat, places(run)): run for run in plain}
    for run in drafting:
        partner = partners.get((run.repeat, places(run)))
        if partner:
            yield Pair(run, partner)


def grouped(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """Those that are timed, by what an interval is over: prompts, or repeats of a service."""
    groups: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.timed:
            groups[pair.plain.repeat if pair.plain.table == SERVICE else pair.plain.replies[0].place].append(pair)
    return list(groups.values())


def speed_up(groups: Sequence[Sequence[Pair]], ratio: Callable[[Pair], float]) -> Estimate:
    """How much sooner the whole workload is done: of a group the median ratio counts, and groups by their time without a draft."""
    without = [median(pair.plain.seconds for pair in group) for group in groups]
    drafted = [seconds / median(map(ratio, group)) for seconds, group in zip(without, groups, strict=True)]
    return ratio_of_totals(without, drafted)


def _passes(reply: Reply) -> int | None:
    """Of the target, for one text; None where the engine does not tell."""
    if reply.rounds:
        return len(reply.rounds)
    return None if reply.accepted is None else max(1, reply.tokens - reply.accepted)
