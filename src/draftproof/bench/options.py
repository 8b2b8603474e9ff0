"""Ways to draft, ranked by what the replayed rounds of recorded texts would cost."""

from collections.abc import Callable, Sequence
from itertools import cycle
from time import perf_counter

import numpy as np

from draftproof.bench.acceptance import Acceptance
from draftproof.bench.advice import Option
from draftproof.bench.charge import drafted_ms, plain_ms
from draftproof.bench.costs import Costs
from draftproof.bench.record import Recording
from draftproof.bench.replay import replay
from draftproof.bench.totals import ratio_of_totals
from draftproof.bench.ways import Way


def options_of(
    ways: Sequence[Way], recording: Recording, costs: Costs, batch: int, clock: Callable[[], float] = perf_counter
) -> tuple[tuple[Option, ...], float]:
    """Every way, the best first, and the speed-up where each prompt is decoded as was best on the others.

    The texts, two or more, take turns in a queue without an end, so that the batch is full until its first texts have all ended. These
    are counted, each text as often as any other.
    """
    texts = recording.texts
    entries = len(texts) * -(-batch // len(texts))
    tokens = sum(len(text.tokens) for text in texts) * (entries // len(texts))
    reading, nothing = [worth * costs.plain_ms for worth in recording.reading_tokens], [0.0] * len(texts)
    whole, later = (plain_ms(texts, costs, extra, entries=entries, batch=batch) for extra in (reading, nothing))
    options, by_text = [], []
    for way in ways:
        passes = list(replay(way.drafter, cycle(texts), batch=batch, until=entries, clock=clock))
        drafted, after = (drafted_ms(passes, costs, extra, entries=entries) for extra in (reading, nothing))
        rounds = tuple(row.round for each in passes for row in each.rows if row.entry < entries)
        gain = ratio_of_totals(whole.tolist(), drafted.tolist())
        assert gain.low is not None
        assert gain.high is not None
        found = Acceptance(rounds, tokens)
        options.append(Option(way.name, way.width, way.model, gain.value, gain.low, gain.high, float(later.sum() / after.sum()), found))
        by_text.append(drafted)
    ranked = sorted(options, key=lambda option: -option.speedup)
    return tuple(ranked), held_out(whole, np.array(by_text))


def held_out(plain: np.ndarray, drafted: np.ndarray) -> float:
    """The speed-up where the way for each text (texts,) is the one of `drafted` (ways, texts) that was best on the others."""
    others = drafted.sum(1, keepdims=True) - drafted
    return float(plain.sum() / drafted[others.argmin(0), np.arange(len(plain))].sum())
