"""The one door for randomness.

A draw's number depends on its address and on nothing else, so batch composition, padding and preemption cannot change
it. Every request owns one `Draws`, made from its seed.

Two pickers stand behind the door. `pick` is an ordinary draw: its address is (round start, offset, purpose), and an
address used twice is an error, because two draws on one number are not independent. `race` is the shared noise of the
coupled mode: one exponential a token id at each absolute position, read by draft and target alike, any number of times.

Round start, not absolute position alone, addresses a pick: a position drafted again in the next round must not reuse
its number (harmless for `rejection`, biased for `block`).
"""

import threading
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from draftproof.carriers import to_float64
from draftproof.errors import AddressReused, BadLaw, BadRequest
from draftproof.shapes import Array, Shaped


class Purpose(IntEnum):
    """What a draw decides."""

    DRAFT = 0
    KEPT = 1
    TOKEN = 2


class Address(NamedTuple):
    """Where a pick finds its number.

    Attributes:
        round_start: the length of the context when the round began, tokens.
        offset: the node that is drawn; 0 for the two draws of a verdict.
        purpose: what the draw decides.
    """

    round_start: int
    offset: int
    purpose: Purpose


@runtime_checkable
class Draws(Protocol):
    """The randomness of one request."""

    def pick(self, weights: Array, at: Address) -> int:
        """An index with probability in proportion to `weights` (vocab,), independent of every other address."""
        ...

    def race(self, weights: Array, position: int) -> int:
        """The index that wins the exponential race at `position`: in proportion to `weights`, dependent on purpose."""
        ...


SLACK = 1e-12
"""Far more than the rounding of a division and a logarithm can move a number."""

ONE = np.float64(1).view(np.uint64)
"""The bits of 1.0: sign, exponent, and a fraction of 0."""


EMPTY = np.zeros(4, np.uint64)
"""The buffer of a generator that has given no number yet."""


class Scratch(threading.local):
    """Memory that every race of a thread writes over: between two passes of a model, to touch new memory took a third of a race."""

    def __init__(self) -> None:
        self._held = np.empty((2, 0))

    def rows(self, vocab: int) -> tuple[np.ndarray, np.ndarray]:
        """Two rows of numbers that mean nothing."""
        if self._held.shape[1] < vocab:
            self._held = np.empty((2, vocab))
        return self._held[0, :vocab], self._held[1, :vocab]


SCRATCH = Scratch()


class SeededDraws:
    """Counter-based draws (Philox 4x64): the same numbers for the same seed and address, always.

    Raises:
        BadRequest: a seed outside [0, 2**64).
    """

    def __init__(self, seed: int) -> None:
        if not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise BadRequest(f"seed {seed!r} is not a whole number in [0, 2**64)")
        self.seed = seed
        self._bits = np.random.Philox(0)
        self._round = 0
        self._used: set[Address] = set()

    def pick(self, weights: Shaped[Array, " vocab"], at: Address) -> int:
        """Invert the cumulative law at the uniform of this address.

        Raises:
            AddressReused: the address was used, or belongs to a round already left.
        """
        if at.round_start < self._round or at in self._used:
            raise AddressReused(f"{at} was already drawn from; a second draw on one number is not independent of the first")
        if at.round_start > self._round:
            self._round, self._used = at.round_start, set()
        self._used.add(at)
        return invert(weights, self.uniform(at))

    def race(self, weights: Shaped[Array, " vocab"], position: int) -> int:
        """argmax of weight / noise; ties, which have probability 0, go to the lowest id.

        -log(u) is at least 1 - u, so weight / (1 - u) is the most that a token can reach, and only the few that can reach what the
        first of them does need a logarithm.
        """
        row, most = SCRATCH.rows(len(weights))
        np.copyto(row, weights if isinstance(weights, np.ndarray) else to_float64(weights), casting="unsafe")
        if not row.max(initial=0) > 0:
            raise BadLaw(f"position {position}: no token has a positive weight (largest {row.max(initial=0)}), so none can win the race")
        if np.count_nonzero(row > 0) == 1:
            return int(row.argmax())
        short = self._short_of_one(position, len(row))
        np.divide(row, short, out=most)
        first = most.argmax()
        able = np.flatnonzero(most >= row[first] / exponential(short[first]) * (1 - SLACK))
        return int(able[(row[able] / exponential(short[able])).argmax()])

    def uniform(self, at: Address) -> float:
        """The number in [0, 1) of this address, a multiple of 2**-53."""
        raw = self._philox(stream=0, counter=(at.round_start, at.offset, at.purpose)).random_raw()
        return float(raw >> 11) * 2.0**-53

    def noise(self, position: int, vocab: int) -> Shaped[np.ndarray, " vocab"]:
        """The exponentials of the tokens 0 to vocab - 1 at one position. A longer row begins with the shorter one."""
        return exponential(self._short_of_one(position, vocab))

    def _short_of_one(self, position: int, vocab: int) -> Shaped[np.ndarray, " vocab"]:
        """1 - u of the uniform number u in (0, 1) of each token at one position."""
        raw = self._philox(stream=1, counter=(position, 0, 0)).random_raw(vocab)
        # 52 bits as the fraction of a float in [1, 2), and u half a step above a multiple of 2**-52: nothing is rounded; with 53 bits
        # the largest u would become 1 and its noise 0. All in place: to touch new memory for every step took half the time.
        raw >>= np.uint64(12)
        raw |= ONE
        short = raw.view(np.float64)
        np.subtract(2.0, short, out=short)
        short -= 2.0**-53
        return short

    def _philox(self, *, stream: int, counter: tuple[int, int, int]) -> np.random.Philox:
        """The numbers of one address from their beginning. To make a new generator would ask the system for a seed that nobody uses."""
        state: Any = {"counter": np.array([0, *counter], np.uint64), "key": np.array([self.seed, stream], np.uint64)}
        self._bits.state = {"bit_generator": "Philox", "state": state, "buffer": EMPTY, "buffer_pos": 4, "has_uint32": 0, "uinteger": 0}
        return self._bits


def exponential(short: Array) -> Array:
    """The exponential -log(u) of each 1 - u."""
    return -np.log(1.0 - short)


def invert(weights: Shaped[Array, " vocab"], uniform: float) -> int:
    """The first index whose cumulative weight exceeds `uniform` times the total: strictly, so weight 0 is never chosen.

    Raises:
        BadLaw: the weights have no positive, finite sum.
    """
    cumulative = np.cumsum(to_float64(weights))
    total = cumulative[-1] if len(cumulative) else 0.0
    if not 0 < total < np.inf:
        raise BadLaw(f"cannot draw from weights that sum to {total}")
    index = int(np.searchsorted(cumulative, uniform * total, side="right"))
    # Rounding can lift uniform * total to the total itself; the last index that has weight is then meant.
    return min(index, int(np.searchsorted(cumulative, total, side="left")))
