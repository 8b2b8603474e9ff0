"""Transforms in order: the law of every row of a block.

A chain is data. It satisfies the protocol `Sampling`, so a decode may be given one that was put together by hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from draftproof.errors import BadLaw, EmptyLaw, Unsupported
from draftproof.sampling.carry import carried, to_numpy
from draftproof.sampling.memory import Memory, State
from draftproof.sampling.transform import Cut, Laws, Mixture, Scores, Shift, Transform, describe, softmax
from draftproof.shapes import Array, Shaped

# A part of the columns is copied out only where that saves most of the work that follows.
NARROW = 4


class Prefix(NamedTuple):
    """What a chain remembers of a prefix: one state a memory, in the order of `Chain.memories`."""

    states: tuple[State, ...]


@dataclass(frozen=True)
class Chain:
    """Sampling rules in the order in which they act; without any, the law is the softmax of the logits."""

    transforms: tuple[Transform, ...]

    def __str__(self) -> str:
        return " -> ".join(map(describe, self.transforms)) or "softmax alone"

    @cached_property
    def memories(self) -> tuple[Memory, ...]:
        """The distinct memories of the transforms."""
        return tuple(dict.fromkeys(transform.memory for transform in self.transforms))

    def start(self, prompt: Sequence[int]) -> Prefix:
        """The memory of a prompt."""
        return Prefix(tuple(memory.start(prompt) for memory in self.memories))

    def fold(self, prefix: Prefix, token: int, law: Array | None) -> Prefix:
        """The memory after one more token; `law` (vocab,) may be None unless a memory uses it."""
        pairs = zip(self.memories, prefix.states, strict=True)
        return Prefix(tuple(memory.fold(state, token, law) for memory, state in pairs))

    def law(self, logits: Shaped[Array, " vocab"], prefix: Prefix) -> Shaped[Array, " vocab"]:
        """The law of the next token after one prefix."""
        laws, _ = self.laws(logits[None], prefix, (), ())
        return laws[0]

    def laws(
        self, logits: Shaped[Array, "position vocab"], prefix: Prefix, drafted: Sequence[int], parents: Sequence[int]
    ) -> tuple[Shaped[Array, "position vocab"], list[Prefix]]:
        """The laws of a block: see `protocol.Sampling.laws`.

        float32 and float64 rows give laws of the same precision, narrower ones are widened to float32. A row below a
        drafted token that its own law forbids can never be reached; if nothing is possible there either, it repeats the
        law of its parent.

        Raises:
            BadLaw: a row that is not numbers.
            EmptyLaw: a row in which no token is left, naming the transform that emptied it.
            Unsupported: the number of rows does not fit the drafted tokens.
        """
        if not len(logits) == 1 + len(drafted) == 1 + len(parents):
            raise Unsupported(
                f"{len(logits)} rows of logits for {len(drafted)} drafted tokens and {len(parents)} parents; "
                "there must be one parent a token and one row more"
            )
        scores = to_numpy(logits)
        _check_scores(scores)
        with np.errstate(divide="ignore", invalid="ignore"):
            laws, prefixes = self._settle(scores, prefix, drafted, parents)
            self._check_rows(laws, scores, prefixes, drafted, parents)
        return carried(laws, logits), prefixes

    def _settle(self, scores: Scores, prefix: Prefix, drafted: Sequence[int], parents: Sequence[int]) -> tuple[Laws, list[Prefix]]:
        prefixes = [prefix]
        if not any(memory.uses_law for memory in self.memories):
            for token, parent in zip(drafted, parents, strict=True):
                prefixes.append(self.fold(prefixes[parent], token, None))
            return self.follow(self.transforms, prefixes, scores), prefixes
        laws = [self.follow(self.transforms, prefixes, scores[:1])[0]]
        for row, (token, parent) in enumerate(zip(drafted, parents, strict=True), start=1):
            prefixes.append(self.fold(prefixes[parent], token, laws[parent]))
            laws.append(self.follow(self.transforms, prefixes[row:], scores[row : row + 1])[0])
        return np.stack(laws), prefixes

    def follow(self, transforms: Sequence[Transform], prefixes: Sequence[Prefix], scores: Scores) -> Laws:
        """The laws that some of the transforms, in order, make of scores; a row that they empty is NaN."""
        for place, transform in enumerate(transforms):
            rest = transforms[place + 1 :]
            memory = self.memories.index(transform.memory)
            states = [prefix.states[memory] for prefix in prefixes]
            if isinstance(transform, Shift):
                scores = transform.apply(scores, states)
            elif isinstance(transform, Mixture):
                return transform.mix(scores, states, partial(self.follow, rest, prefixes))
            elif isinstance(transform, Cut):
                keep = transform.keep(scores, states)
                if not any(step.reads_tokens for step in rest):
                    columns = np.flatnonzero(keep.any(0))
                    if 0 < len(columns) * NARROW < len(keep[0]):
                        laws = np.zeros_like(scores)
                        scores = np.where(keep[:, columns], scores[:, columns], scores.dtype.type(-np.inf))
                        laws[:, columns] = self.follow(rest, prefixes, scores)
                        return laws
                scores = np.where(keep, scores, scores.dtype.type(-np.inf))
        return softmax(scores)

    def _check_rows(self, laws: Laws, scores: Scores, prefixes: Sequence[Prefix], drafted: Sequence[int], parents: Sequence[int]) -> None:
        """Name what emptied the first empty row, or fill it if it is out of reach."""
        empty = ~(laws.sum(-1) > 0)
        for row in np.flatnonzero(empty).tolist():
            if self._reachable(row, laws, drafted, parents):
                raise EmptyLaw(f"row {row}: no token is left after {self._culprit(scores[row : row + 1], prefixes[row : row + 1])}")
            laws[row] = laws[parents[row - 1]]

    def _reachable(self, row: int, laws: Laws, drafted: Sequence[int], parents: Sequence[int]) -> bool:
        while row:
            token, row = drafted[row - 1], parents[row - 1]
            if not laws[row, token] > 0:
                return False
        return True

    def _culprit(self, scores: Scores, prefixes: Sequence[Prefix]) -> str:
        for count, transform in enumerate(self.transforms, start=1):
            if not self.follow(self.transforms[:count], prefixes, scores).sum() > 0:
                return describe(transform)
        raise AssertionError("a row is empty although no transform emptied it")


def _check_scores(scores: Scores) -> None:
    """Return if every row has a finite maximum.

    Raises:
        BadLaw: naming the row.
    """
    peaks = scores.max(-1)
    if not np.isfinite(peaks).all():
        row = int(np.flatnonzero(~np.isfinite(peaks))[0])
        raise BadLaw(f"logits row {row} has the maximum {peaks[row]}; the model must give at least one finite logit and no NaN or +inf")
