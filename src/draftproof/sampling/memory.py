"""What a sampling rule remembers of a prefix.

A memory is (start, fold): the state of a prompt, and the state after one more token. A state is a value: a fold makes a
new one and leaves the old as it was, so two branches of a tree may grow from the same state. Memories are compared by
their contents, and transforms with equal memories share one state.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from draftproof.shapes import Array, Int

State = Any
"""What one memory holds of one prefix; opaque to everything but the transforms that asked for it."""


class Memory(ABC):
    """One way to remember a prefix.

    Attributes:
        uses_law: True if a fold reads the law that the token was drawn from. Rows must then be settled one by one.
    """

    uses_law: ClassVar[bool] = False

    @abstractmethod
    def start(self, prompt: Sequence[int]) -> State:
        """The state of a prompt."""

    @abstractmethod
    def fold(self, state: State, token: int, law: Array | None) -> State:
        """The state after one more emitted token; `law` (vocab,) is the one that held where the token was drawn."""


@dataclass(frozen=True)
class Nothing(Memory):
    """No memory: the rule reads the row alone."""

    def start(self, prompt: Sequence[int]) -> None:
        return None

    def fold(self, state: None, token: int, law: Array | None) -> None:
        return None


@dataclass(frozen=True)
class Length(Memory):
    """How many tokens were emitted after the prompt."""

    def start(self, prompt: Sequence[int]) -> int:
        return 0

    def fold(self, state: int, token: int, law: Array | None) -> int:
        return state + 1


@dataclass(frozen=True)
class Text(Memory):
    """The tokens in order.

    Attributes:
        prompt: whether those of the prompt are among them.
        last: how many of the newest are kept; None keeps all.
    """

    prompt: bool = True
    last: int | None = None

    def start(self, prompt: Sequence[int]) -> Int[np.ndarray, " tokens"]:
        return self._newest(np.array(prompt if self.prompt else (), np.int64))

    def fold(self, state: Int[np.ndarray, " tokens"], token: int, law: Array | None) -> Int[np.ndarray, " tokens_after"]:
        return self._newest(np.append(state, token))

    def _newest(self, tokens: np.ndarray) -> np.ndarray:
        return tokens if self.last is None else tokens[max(len(tokens) - self.last, 0) :]


class Seen(NamedTuple):
    """How often each token occurred.

    Attributes:
        ids: the tokens that occurred, ascending.
        counts: how often, each at least 1.
        recent: the tokens still inside the window, in order; empty if there is no window.
    """

    ids: Int[np.ndarray, " ids"]
    counts: Int[np.ndarray, " ids"]
    recent: Int[np.ndarray, " tokens"]


@dataclass(frozen=True)
class Counts(Memory):
    """How often each token occurred.

    Attributes:
        prompt: whether the tokens of the prompt count.
        last: how many of the newest tokens count; None counts all.
    """

    prompt: bool
    last: int | None = None

    def start(self, prompt: Sequence[int]) -> Seen:
        window = Text(self.prompt, self.last).start(prompt)
        return self._count(window)

    def fold(self, state: Seen, token: int, law: Array | None) -> Seen:
        if self.last is not None:
            return self._count(Text(self.prompt, self.last).fold(state.recent, token, law))
        place = int(np.searchsorted(state.ids, token))
        if place < len(state.ids) and state.ids[place] == token:
            counts = state.counts.copy()
            counts[place] += 1
            return Seen(state.ids, counts, state.recent)
        return Seen(np.insert(state.ids, place, token), np.insert(state.counts, place, 1), state.recent)

    def _count(self, window: np.ndarray) -> Seen:
        ids, counts = np.unique(window, return_counts=True)
        return Seen(ids, counts, window if self.last is not None else window[:0])
