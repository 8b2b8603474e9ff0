"""How much the time of equal work varied: the noise of the machine while it was measured."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from draftproof.bench.cell import cell_of
from draftproof.bench.pairs import Pair, digests, pace, places
from draftproof.bench.run import Run


def noise(runs: Iterable[Run]) -> float | None:
    """One standard deviation of the time of a run from that of equal work, as a share of it; None if no two runs did equal work.

    The deviation is that of the logarithm of the seconds, pooled over all pieces of work that were done twice or more. It is not a robust
    one: a machine that stalls once in a while is noisy.
    """
    return _deviation((equal_work(run), run.seconds) for run in runs if run.seconds > 0 and run.tokens)


def noise_of_pairs(pairs: Sequence[Pair]) -> float | None:
    """The larger of the noise with a draft and of that without, in one cell; None if it is not known of one of them.

    It is that of the seconds a token on the same orders. Where these brought the same texts, that is equal work. Where they did not, it is
    not, and the noise is overstated; but no text that is written only once can hide what the machine did.
    """
    timed = [pair for pair in pairs if pair.timed]
    with_draft = _deviation((places(pair.drafting), pace(pair.drafting)) for pair in timed)
    without = _deviation((places(pair.plain), pace(pair.plain)) for pair in timed)
    return None if with_draft is None or without is None else max(with_draft, without)


def equal_work(run: Run) -> Hashable:
    """What two runs have in common if they did equal work.

    Without a draft every token takes one pass of the target, so texts of one length are equal work. With one it depends on the text.
    """
    texts = digests(run) if run.drafts else tuple(reply.tokens for reply in run.replies)
    return cell_of(run), run.contender, places(run), texts


def _deviation(times: Iterable[tuple[Hashable, float]]) -> float | None:
    """Of the logarithms of times from the mean of their work, pooled."""
    works: dict[Hashable, list[float]] = defaultdict(list)
    for work, seconds in times:
        works[work].append(math.log(seconds))
    squares, freedom = 0.0, 0
    for logs in works.values():
        mean = sum(logs) / len(logs)
        squares += sum((each - mean) ** 2 for each in logs)
        freedom += len(logs) - 1
    return math.expm1(math.sqrt(squares / freedom)) if freedom else None
