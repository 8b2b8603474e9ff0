"""Where a tail of given mass ends, without sorting the row.

Nucleus rules order the tokens by a key and remove them from the lowest key on while the removed mass stays within a
bound. Only the tokens near that bound need an order: a binary search among the keys of a sample finds two keys with the
bound between them, and the few tokens between the two are sorted.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np

from draftproof.shapes import Bool, Shaped

# Each sum over the 49,152 tokens of a row takes about 50 microseconds; a bisection of 256 keys takes eight and leaves some
# 200 tokens to sort.
SAMPLE = 256

Within = Callable[[Any], Any]
"""Whether a mass, or each of several, is within the bound."""


class Ties(StrEnum):
    """What becomes of the tokens that share the key at which a cut falls."""

    ALL_STAY = "all stay"
    HIGH_IDS_STAY = "high ids stay"
    """As many as the rule asks for, those with the highest ids."""
    LOW_IDS_STAY = "low ids stay"
    """As many as the rule asks for, those with the lowest ids."""


def outside_tail(
    keys: Shaped[np.ndarray, " vocab"], masses: Shaped[np.ndarray, " vocab"], bound: float, *, ties: Ties, strict: bool = False
) -> Bool[np.ndarray, " vocab"]:
    """Where a token stays: all but the lowest keys whose masses, added up, are at most `bound` (below it, if `strict`).

    At least one token stays. Sums are made in float64 and compared in the precision of the row, as torch does.
    """
    limit = masses.dtype.type(bound)

    def within(mass: Any) -> Any:
        rounded = mass.astype(masses.dtype)
        return rounded < limit if strict else rounded <= limit

    near, below = _near_bound(keys, masses.astype(np.float64), np.float64(0), within)
    order = np.argsort(keys[near])
    ascending = keys[near][order]
    removed = int(within(below + np.cumsum(masses[near][order], dtype=np.float64)).sum())
    first = min(removed, len(near) - 1)
    boundary = ascending[first]
    lost = 0 if ties is Ties.ALL_STAY else first - int(np.searchsorted(ascending, boundary))
    stays = keys >= boundary
    if lost:
        tied = np.flatnonzero(keys == boundary)
        stays[tied[:lost] if ties is Ties.HIGH_IDS_STAY else tied[len(tied) - lost :]] = False
    return stays


def _near_bound(keys: np.ndarray, masses: np.ndarray, below: np.float64, within: Within) -> tuple[np.ndarray, np.float64]:
    """The tokens among which the bound is passed, and the mass of all with lower keys, which is within it.

    `below` is the mass that comes before all of `keys`. Rows of trained models pass the bound in their highest eighth,
    so that is asked first, and then the highest eighth of that.
    """
    if len(keys) <= 4 * SAMPLE:
        return np.arange(len(keys)), below
    sample = np.sort(keys[:: len(keys) // SAMPLE])
    pivot = sample[-len(sample) // 8]
    head = np.flatnonzero(keys >= pivot)
    before_head = below + _mass_below(keys, masses, pivot)
    if within(before_head) and 2 * len(head) < len(keys):
        near, below = _near_bound(keys[head], masses[head], before_head, within)
        return head[near], below
    return _bisected(keys, masses, below, within, sample)


def _bisected(keys: np.ndarray, masses: np.ndarray, below: np.float64, within: Within, sample: np.ndarray) -> tuple[np.ndarray, np.float64]:
    """As `_near_bound`: the tokens between two neighbours of the sorted sample."""
    low, before_low, high = -1, below, len(sample)
    while high - low > 1:
        middle = (low + high) // 2
        mass = below + _mass_below(keys, masses, sample[middle])
        if within(mass):
            low, before_low = middle, mass
        else:
            high = middle
    near = np.ones(len(keys), bool) if low < 0 else keys >= sample[low]
    return np.flatnonzero(near if high == len(sample) else near & (keys < sample[high])), before_low


def _mass_below(keys: np.ndarray, masses: np.ndarray, key: np.floating) -> np.float64:
    return np.einsum("i,i", masses, keys < key)
