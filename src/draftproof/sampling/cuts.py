"""Cuts of the tail by rank, by mass, by probability, by spread.

In the formulas p is the law of the row as this step finds it, z a score, H an entropy in nats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import State
from draftproof.sampling.tail import Ties, outside_tail
from draftproof.sampling.transform import Cut, Keep, Laws, Scores, softmax


@dataclass(frozen=True)
class TopK(Cut):
    """The k highest scores stay (Fan et al. 2018), and of the tokens tied with the k-th all, or the lowest ids up to k."""

    name: ClassVar[str] = "top_k"
    reads_tokens: ClassVar[bool] = False
    k: int
    ties: Ties

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        rank = min(self.k, scores.shape[1])
        least = np.partition(scores, -rank, axis=-1)[:, -rank, None]
        stays = scores >= least
        if self.ties is Ties.LOW_IDS_STAY:
            for row in np.flatnonzero(stays.sum(-1) > rank):
                tied = np.flatnonzero(scores[row] == least[row])
                stays[row, tied[len(tied) - (stays[row].sum() - rank) :]] = False
        return stays


@dataclass(frozen=True)
class TopP(Cut):
    """The likeliest tokens stay until their mass reaches p, the one that reaches it included (Holtzman et al. 2020)."""

    name: ClassVar[str] = "top_p"
    reads_tokens: ClassVar[bool] = False
    p: float
    ties: Ties

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        rows = zip(scores, softmax(scores), strict=True)
        return np.stack([outside_tail(row, law, 1 - self.p, ties=self.ties) for row, law in rows])


@dataclass(frozen=True)
class MinP(Cut):
    """Tokens stay whose probability is at least `share` of the highest one (Nguyen et al. 2024)."""

    name: ClassVar[str] = "min_p"
    reads_tokens: ClassVar[bool] = False
    share: float

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        laws = softmax(scores)
        return laws >= self.share * laws.max(-1, keepdims=True)


@dataclass(frozen=True)
class Epsilon(Cut):
    """Tokens of probability epsilon or more stay, and the likeliest (Hewitt et al. 2022)."""

    name: ClassVar[str] = "epsilon_cutoff"
    reads_tokens: ClassVar[bool] = False
    epsilon: float

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        return (softmax(scores) >= self.epsilon) | _likeliest(scores)


@dataclass(frozen=True)
class Eta(Cut):
    """As `Epsilon`, with min(epsilon, sqrt(epsilon) exp(-H)) for epsilon (Hewitt et al. 2022)."""

    name: ClassVar[str] = "eta_cutoff"
    reads_tokens: ClassVar[bool] = False
    epsilon: float

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        laws = softmax(scores)
        eta = np.minimum(self.epsilon, np.sqrt(self.epsilon) * np.exp(-entropy(laws)))[:, None]
        return (laws >= eta.astype(laws.dtype)) | _likeliest(scores)


@dataclass(frozen=True)
class Typical(Cut):
    """The tokens whose surprise is nearest to H stay until their mass reaches `mass` (Meister et al. 2022).

    Attributes:
        mass: to be reached.
        ties: what becomes of tokens whose surprise is equally far from H.
        past: True if the mass must be passed, so that an exact hit keeps one token more.
    """

    name: ClassVar[str] = "typical_p"
    reads_tokens: ClassVar[bool] = False
    mass: float
    ties: Ties
    past: bool

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        laws = softmax(scores)
        nearness = -abs(-np.log(laws) - entropy(laws)[:, None])
        rows = zip(nearness, laws, strict=True)
        return np.stack([outside_tail(key, law, 1 - self.mass, ties=self.ties, strict=self.past) for key, law in rows])


@dataclass(frozen=True)
class TopNSigma(Cut):
    """Scores of at least max - n sigma stay, sigma the standard deviation of the finite scores (Tang et al. 2024)."""

    name: ClassVar[str] = "top_n_sigma"
    reads_tokens: ClassVar[bool] = False
    n: float

    def keep(self, scores: Scores, states: Sequence[State]) -> Keep:
        finite = scores > -np.inf
        count = np.maximum(finite.sum(-1), 1)[:, None]
        mean = scores.sum(-1, where=finite, dtype=np.float64, keepdims=True) / count
        variance = ((scores - mean) ** 2).sum(-1, where=finite, keepdims=True) / count
        return scores >= scores.max(-1, keepdims=True) - self.n * np.sqrt(variance)


def entropy(laws: Laws) -> np.ndarray:
    """The entropy of every row, in nats, as float64."""
    return -(laws * np.log(np.where(laws > 0, laws, 1))).sum(-1, dtype=np.float64)


def _likeliest(scores: Scores) -> Keep:
    return scores == scores.max(-1, keepdims=True)
