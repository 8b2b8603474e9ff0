"""Quantiles that are claimed only from enough observations, with intervals that assume no law.

Between which two of the sorted observations a quantile lies is a matter of counting: each falls below it with the same chance. So the
interval is a pair of observations, and a quantile is claimed only if it lies between the smallest and the largest of all with the
confidence asked for. For the 99th of a hundred that takes 299 observations.

What depends on each other is not many observations. The gaps between the bursts of one text do, and so do requests that waited in one
queue. They are given in groups; the spread between groups then says how many independent observations they are worth (Korn and Graubard
1998). That spread is seen in the same groups. Where the tail lies in a few that were not met, they seem worth more than they are; so as
many groups are asked for as a quantile takes observations.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from draftproof.bench.totals import CONFIDENCE
from draftproof.shapes import Shaped

QUANTILES = (0.5, 0.95, 0.99)


@dataclass(frozen=True)
class Quantile:
    """A quantile that the observations support.

    Attributes:
        q: which, between 0 and 1.
        value: the observation there.
        low, high: observations between which it lies, at the confidence.
        worth: independent observations that those made are worth.
    """

    q: float
    value: float
    low: float
    high: float
    worth: int


@dataclass(frozen=True)
class TooFew:
    """A quantile that is not claimed.

    Attributes:
        q: which, between 0 and 1.
        worth: independent observations that those made are worth.
        needed: of them.
    """

    q: float
    worth: int
    needed: int

    def __str__(self) -> str:
        return f"p{100 * self.q:g} takes {self.needed} independent observations, and these are worth {self.worth}"


def needed(q: float, confidence: float = CONFIDENCE) -> int:
    """The fewest independent observations of which the smallest and the largest have a quantile between them, with this confidence."""
    assert 0 < q < 1, "a quantile lies between 0 and 1"
    return next(many for many in count(1) if 1 - q**many - (1 - q) ** many >= confidence)


def quantile(values: Sequence[float], q: float, *, confidence: float = CONFIDENCE) -> Quantile | TooFew:
    """A quantile of independent observations."""
    return _claimed(np.sort(np.asarray(values, dtype=float)), q, len(values), confidence)


def grouped_quantile(groups: Sequence[Sequence[float]], q: float, *, confidence: float = CONFIDENCE) -> Quantile | TooFew:
    """A quantile of all observations together, where only groups are independent of each other."""
    groups = [group for group in groups if len(group)]
    if len(groups) < (least := needed(q, confidence)):
        return TooFew(q, len(groups), least)
    values = np.sort(np.array([value for group in groups for value in group], dtype=float))
    return _claimed(values, q, _worth(groups, _at(values, q), confidence), confidence)


def _worth(groups: Sequence[Sequence[float]], value: float, confidence: float) -> int:
    """How many independent observations would tell the share up to a value as well as these groups do."""
    from scipy.stats import norm, t

    sizes = np.array([len(group) for group in groups])
    below = np.array([np.count_nonzero(np.asarray(group) <= value) for group in groups])
    total, many = int(sizes.sum()), len(groups)
    if many == total:
        return total
    share = below.sum() / total
    variance = many / (many - 1) * ((below - share * sizes) ** 2).sum() / total**2
    if not variance:
        return many
    tail = (1 + confidence) / 2
    worth = share * (1 - share) / variance * (norm.ppf(tail) / t.ppf(tail, many - 1)) ** 2
    return max(1, min(total, int(worth)))


def _claimed(ordered: Shaped[np.ndarray, " observations"], q: float, worth: int, confidence: float) -> Quantile | TooFew:
    if worth < (least := needed(q, confidence)):
        return TooFew(q, worth, least)
    low, high = _ranks(worth, q, 1 - confidence)
    first, last = (low - 1) * len(ordered) // worth, -(-high * len(ordered) // worth) - 1
    return Quantile(q, _at(ordered, q), float(ordered[first]), float(ordered[last]), worth)


def _ranks(many: int, q: float, error: float) -> tuple[int, int]:
    """Ranks, from 1, of the observations between which the quantile lies, except with the probability `error`.

    Each side may err by half of it. Where even the outermost observation errs by more, that one is taken, and the other side has what is
    left.
    """
    from scipy.stats import binom

    least_left, least_right = (1 - q) ** many, q**many
    left = least_left if least_left > error / 2 else error - max(error / 2, least_right)
    right = error - left
    ranks, rounding = np.arange(1, many + 1), 1e-12
    low = int(np.count_nonzero(binom.cdf(ranks - 1, many, q) <= left + rounding))
    high = many + 1 - int(np.count_nonzero(binom.sf(ranks - 1, many, q) <= right + rounding))
    return low, high


def _at(ordered: Shaped[np.ndarray, " observations"], q: float) -> float:
    return float(ordered[max(0, math.ceil(q * len(ordered)) - 1)])
