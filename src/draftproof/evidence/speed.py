"""Evidence of speed from one prompt: the same engine with its drafts and without, turn and turn about."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

from draftproof.drafters.function import no_drafter
from draftproof.engine import Engine, Running
from draftproof.evidence.watch import Watch

REPEATS = 5

PARTS = ("target", "draft", "sampling", "verdict", "rest")


@dataclass(frozen=True)
class Timing:
    """One run.

    Attributes:
        tokens: emitted.
        rounds: target passes.
        seconds: wall clock.
        parts: seconds by part, see `PARTS`.
    """

    tokens: int
    rounds: int
    seconds: float
    parts: dict[str, float]

    @property
    def rate(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds


@dataclass(frozen=True)
class Speed:
    """Runs with drafts and without, in pairs that stood next to each other in time.

    Attributes:
        drafted, plain: the runs.
        same_text: True if both ways emitted the same tokens.
    """

    drafted: list[Timing]
    plain: list[Timing]
    same_text: bool

    @property
    def ratios(self) -> list[float]:
        """How many times as fast as without drafts, pair by pair."""
        return [ours.rate / theirs.rate for ours, theirs in zip(self.drafted, self.plain, strict=True)]

    @property
    def ratio(self) -> float:
        return median(self.ratios)

    @property
    def shares(self) -> dict[str, float]:
        """Of the time with drafts, by part."""
        total = sum(run.seconds for run in self.drafted)
        return {part: sum(run.parts[part] for run in self.drafted) / total for part in PARTS}


def compare(
    engine: Engine, start: Callable[[Engine], list[Running]], *, repeats: int = REPEATS, told: Callable[[int], None] = lambda done: None
) -> Speed:
    """Time the engine with drafts and without, A B B A ..., after one run of each that is not counted.

    Args:
        start: starts the same requests with the same seeds each time, on the engine that it is given.
        told: at first and after each run, how many of `2 * repeats` are done.
    """
    told(0)
    plain = engine.with_decoder(replace(engine.decoder, drafter=no_drafter(engine.target.model.vocab)))
    texts = [timed(which, start)[1] for which in (engine, plain)]
    drafted_runs: list[Timing] = []
    plain_runs: list[Timing] = []
    for repeat in range(repeats):
        order = [(engine, drafted_runs), (plain, plain_runs)]
        for which, runs in order if repeat % 2 == 0 else reversed(order):
            runs.append(timed(which, start)[0])
            told(len(drafted_runs) + len(plain_runs))
    return Speed(drafted_runs, plain_runs, texts[0] == texts[1])


def timed(engine: Engine, start: Callable[[Engine], list[Running]]) -> tuple[Timing, list[list[int]]]:
    """One run with its time by part, from the first round on, and the emitted tokens."""
    watch = Watch()
    watched = engine.with_decoder(watch.decoder(engine.decoder))
    requests = start(watched)
    for request in requests:
        request.session.params = watch.sampling(request.session.params)
    began = time.perf_counter()
    for _ in watched.run(requests, batch=len(requests)):
        pass
    seconds = time.perf_counter() - began
    parts = {part: watch.clock.seconds[part] for part in PARTS}
    parts["rest"] = seconds - sum(parts.values())
    done = [request.completion for request in requests]
    timing = Timing(sum(len(each.tokens) for each in done), sum(len(each.steps) for each in done), seconds, parts)
    return timing, [each.tokens for each in done]
