"""Rules that name tokens: biases, permissions, and tokens that must or must not come at a given length."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import Length, State
from draftproof.sampling.transform import Scores, Shift, check_vocab


@dataclass(frozen=True)
class LogitBias(Shift):
    """A number added to the scores of named tokens; -inf bans a token."""

    name: ClassVar[str] = "logit_bias"
    bias: tuple[tuple[int, float], ...]

    @cached_property
    def _ids(self) -> np.ndarray:
        return np.array([token for token, _ in self.bias], np.int64)

    @cached_property
    def _values(self) -> np.ndarray:
        return np.array([value for _, value in self.bias])

    def apply(self, scores: Scores, states: Sequence[State]) -> Scores:
        check_vocab(self.name, self._ids, scores.shape[1])
        changed = scores.copy()
        changed[:, self._ids] += self._values.astype(scores.dtype)
        return changed


@dataclass(frozen=True)
class AllowedTokens(Shift):
    """Only the named tokens stay.

    Attributes:
        tokens: their ids.
        revives: True if a row in which they were all gone already becomes uniform over them, as transformers has it.
    """

    name: ClassVar[str] = "allowed_token_ids"
    tokens: tuple[int, ...]
    revives: bool = False

    @cached_property
    def _ids(self) -> np.ndarray:
        return np.array(self.tokens, np.int64)

    def apply(self, scores: Scores, states: Sequence[State]) -> Scores:
        check_vocab(self.name, self._ids, scores.shape[1])
        allowed = scores[:, self._ids]
        if self.revives:
            gone = np.isneginf(allowed).all(-1, keepdims=True)
            allowed = np.where(gone, allowed.dtype.type(0), allowed)
        changed = np.full_like(scores, -np.inf)
        changed[:, self._ids] = allowed
        return changed


@dataclass(frozen=True)
class MinNewTokens(Shift):
    """No end of text before `count` tokens were emitted after the prompt."""

    name: ClassVar[str] = "min_new_tokens"
    count: int
    end: tuple[int, ...]

    @property
    def memory(self) -> Length:
        return Length()

    def apply(self, scores: Scores, states: Sequence[int]) -> Scores:
        end = np.array(self.end, np.int64)
        check_vocab("eos_token_id", end, scores.shape[1])
        early = np.array(states) < self.count
        changed = scores.copy()
        changed[np.ix_(early, end)] = -np.inf
        return changed


@dataclass(frozen=True)
class ForcedTokens(Shift):
    """At the named places after the prompt (0 is the first emitted token) one token is certain."""

    name: ClassVar[str] = "forced_tokens"
    places: tuple[tuple[int, int], ...]

    @property
    def memory(self) -> Length:
        return Length()

    @cached_property
    def _token_at(self) -> dict[int, int]:
        return dict(self.places)

    def apply(self, scores: Scores, states: Sequence[int]) -> Scores:
        check_vocab(self.name, np.array(list(self._token_at.values())), scores.shape[1])
        changed = scores.copy()
        for row, length in zip(changed, states, strict=True):
            if length in self._token_at:
                row[:] = -np.inf
                row[self._token_at[length]] = 0
        return changed
