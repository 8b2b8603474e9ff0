"""A text decoded once without drafts, under watch: what there is to replay, and what a round takes outside the passes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from draftproof.bench.costs import OF_A_TOKEN
from draftproof.bench.replay import Text
from draftproof.engine import Engine
from draftproof.evidence.watch import Watch


@dataclass(frozen=True)
class Recording:
    """Texts of one workload at one temperature, decoded one after another.

    Attributes:
        texts: one a prompt.
        first_ms: of each, how long its first token took: its prompt was read with it.
        later_ms: the mean of all later tokens.
        round_ms, token_ms: outside the passes, as in `Costs`.
    """

    texts: tuple[Text, ...]
    first_ms: tuple[float, ...]
    later_ms: float
    round_ms: float
    token_ms: float

    @property
    def reading_tokens(self) -> tuple[float, ...]:
        """How many more tokens without a draft would have taken as long as the reading of each prompt."""
        return tuple(max(first / self.later_ms - 1, 0.0) if self.later_ms else 0.0 for first in self.first_ms)


def record(
    engine: Engine,
    prompts: Sequence[Sequence[int]],
    *,
    temperature: float,
    max_tokens: int,
    seed: int = 0,
    clock: Callable[[], float] = perf_counter,
    told: Callable[[int], None] = lambda done: None,
) -> Recording:
    """The texts that the engine, which drafts nothing, emits; the n-th prompt has the n-th seed after `seed`.

    Args:
        clock: seconds.
        told: after each text, how many are done.
    """
    watch = Watch()
    watched = engine.with_decoder(watch.decoder(engine.decoder))
    wishes = engine.wishes({"temperature": temperature}, max_tokens=max_tokens)
    texts, first_ms, seconds = [], [], 0.0
    for place, prompt in enumerate(prompts):
        running = watched.start(list(prompt), seed + place, wishes)
        running.session.params = watch.sampling(wishes.params)
        began = clock()
        ends = [clock() for _ in watched.run([running], batch=1)]
        running.session.params = wishes.params
        texts.append(Text.of(running))
        first_ms.append(1000 * (ends[0] - began))
        seconds += ends[-1] - began
        told(place + 1)
    tokens = sum(len(text.tokens) for text in texts)
    of_tokens = sum(watch.clock.seconds[name] for name in OF_A_TOKEN)
    of_rounds = max(seconds - watch.clock.seconds["target"] - of_tokens, 0.0)
    later_ms = (1000 * seconds - sum(first_ms)) / max(tokens - len(texts), 1)
    return Recording(tuple(texts), tuple(first_ms), later_ms, 1000 * of_rounds / tokens, 1000 * of_tokens / tokens)
