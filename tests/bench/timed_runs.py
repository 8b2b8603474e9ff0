"""Runs whose times are known, as our own engine would tell them."""

from collections.abc import Callable, Sequence

from draftproof.bench.contender import Round
from draftproof.bench.run import Reply, Run

PROMPT_TOKENS = 40


def timed_run(
    rounds: Sequence[Round],
    round_ms: Callable[[Round], float],
    *,
    first_ms: float,
    drafts: bool,
    place: int = 0,
    repeat: int = 0,
    digest: str = "same",
    parts: tuple[tuple[str, float], ...] = (),
) -> Run:
    """One request: its first round takes `first_ms`, each later one what it is said to take; no draft reaches over the end of the text."""
    times = [first_ms / 1000]
    for each in rounds[1:]:
        times.append(times[-1] + round_ms(each) / 1000)
    tokens = sum(each.accepted + 1 for each in rounds)
    totals = sum(each.drafted for each in rounds), sum(each.accepted for each in rounds)
    reply = Reply(place, 7, PROMPT_TOKENS, tokens, 0.0, tuple(times), *totals, tuple(rounds), digest)
    name = "own best_of auto" if drafts else "own none"
    return Run("one", "chat", 0.8, name, "own", drafts, repeat, repeat, 1, 0.0, times[-1], parts, (reply,))


def plain_rounds(tokens: int) -> list[Round]:
    return [Round(0, 0)] * tokens
