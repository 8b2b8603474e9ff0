"""How much the time of equal work varied: the noise of the machine while it was measured."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable

from draftproof.bench.cell import cell_of
from draftproof.bench.pairs import digests, places
from draftproof.bench.run import Run


def noise(runs: Iterable[Run]) -> float | None:
    """One standard deviation of the time of a run from that of equal work, as a share of it; None if no two runs did equal work.

    The deviation is that of the logarithm of the seconds, pooled over all pieces of work that were done twice or more. It is not a robust
    one: a machine that stalls once in a while is noisy.
    """
    works: dict[Hashable, list[float]] = defaultdict(list)
    for run in runs:
        if run.seconds > 0 and run.tokens:
            works[_work(run)].append(math.log(run.seconds))
    squares, freedom = 0.0, 0
    for logs in works.values():
        mean = sum(logs) / len(logs)
        squares += sum((each - mean) ** 2 for each in logs)
        freedom += len(logs) - 1
    return math.expm1(math.sqrt(squares / freedom)) if freedom else None


def _work(run: Run) -> Hashable:
    """What two runs have in common if they did equal work.

    Without a draft every token takes one pass of the target, so texts of one length are equal work. With one it depends on the text.
    """
    texts = digests(run) if run.drafts else tuple(reply.tokens for reply in run.replies)
    return cell_of(run), run.contender, places(run), texts
