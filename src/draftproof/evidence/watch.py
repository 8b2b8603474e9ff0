"""A decoder whose parts are watched while they work: the same parts, asked in the same way, and a note of each answer."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from draftproof.decode import Decoder
from draftproof.drafters.protocol import Drafter, Request
from draftproof.draws import Draws
from draftproof.models.protocol import Block, Cache, Model
from draftproof.sampling.protocol import Prefix, Sampling
from draftproof.shapes import Array
from draftproof.types import Draft, Picker, Verdict
from draftproof.verify import Verification


class Clock:
    """Seconds by part. A part that is entered inside another stops the other's clock."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._parts: list[str] = []
        self._since = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self._turn()
        self._parts.append(name)
        try:
            yield
        finally:
            self._turn()
            self._parts.pop()

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._parts:
            self.seconds[self._parts[-1]] += now - self._since
        self._since = now


class Round(NamedTuple):
    """What one verification was given and decided; one row a request.

    Attributes:
        logits: a row, as the target gave them: after the context and after each token that the text can go on from.
        target_probs: the laws made of them, read as `target_probs[row, node]`.
        draft: what was drafted.
        verdict: the decision.
    """

    logits: list[Array]
    target_probs: Any
    draft: Draft
    verdict: Verdict


@dataclass
class Watch:
    """A clock, and whoever looks at each round as it is settled.

    Attributes:
        observers: each is called with every round, and keeps what it needs: a round is large.
        clock: its parts are `target`, `draft`, `sampling` and `verdict`.
    """

    observers: Sequence[Callable[[Round], None]] = ()
    clock: Clock = field(default_factory=Clock)
    logits: list[Array] = field(default_factory=list)

    def decoder(self, decoder: Decoder) -> Decoder:
        """The same decoder, watched. The sampling rules belong to a session: see `sampling`."""
        target = WatchedModel(decoder.target, self)
        drafter = WatchedDrafter(decoder.drafter, self.clock)
        return replace(decoder, target=target, drafter=drafter, verification=WatchedVerification(decoder.verification, self))

    def sampling(self, params: Sampling) -> Sampling:
        """The same sampling rules, watched."""
        return WatchedSampling(params, self.clock)


@dataclass(frozen=True)
class WatchedModel:
    inner: Model
    watch: Watch

    @property
    def vocab(self) -> int:
        return self.inner.vocab

    def start(self) -> Cache:
        return self.inner.start()

    def extend(self, caches: Sequence[Any], blocks: Sequence[Block]) -> list[Array]:
        with self.watch.clock.part("target"):
            self.watch.logits = self.inner.extend(caches, blocks)
        return self.watch.logits


@dataclass(frozen=True)
class WatchedDrafter:
    inner: Drafter
    clock: Clock

    def start(self) -> Any:
        return self.inner.start()

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        with self.clock.part("draft"):
            return self.inner.propose(requests, pick)


@dataclass(frozen=True)
class WatchedSampling:
    inner: Sampling
    clock: Clock

    def start(self, prompt: Sequence[int]) -> Prefix:
        return self.inner.start(prompt)

    def fold(self, prefix: Prefix, token: int, law: Array) -> Prefix:
        with self.clock.part("sampling"):
            return self.inner.fold(prefix, token, law)

    def laws(self, logits: Array, prefix: Prefix, drafted: Sequence[int], parents: Sequence[int]) -> tuple[Array, list[Prefix]]:
        with self.clock.part("sampling"):
            return self.inner.laws(logits, prefix, drafted, parents)


@dataclass(frozen=True)
class WatchedVerification:
    inner: Verification
    watch: Watch

    @property
    def by_row(self) -> bool:
        return self.inner.by_row

    def pick_draft(self, draws: Draws, law: Array, *, round_start: int, node: int, depth: int) -> int:
        return self.inner.pick_draft(draws, law, round_start=round_start, node=node, depth=depth)

    def verdict(self, target_probs: Any, draft: Draft, draws: Sequence[Draws], round_starts: Sequence[int]) -> Verdict:
        with self.watch.clock.part("verdict"):
            verdict = self.inner.verdict(target_probs, draft, draws, round_starts)
        for observer in self.watch.observers:
            observer(Round(self.watch.logits, target_probs, draft, verdict))
        return verdict
