"""From the laws along a text to the few numbers a token that evidence needs: how much likelier each suspect makes it.

The target's law is p, a suspect's a. With a band the target is known only up to that total variation a row: then no token may count
for more than `cap` times p, since a bet that pays without bound could be won by rounding alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from draftproof.audit.law.rows import Rows
from draftproof.audit.law.suspects import LARGEST_RATIO, Suspect
from draftproof.shapes import Shaped

SMALLEST_CAP = 8.0
CAP_PER_BAND = 0.01
"""A suspect is cut to 0.01 / band times the target, so that what rounding can win on a bet of share e stays below a hundredth of e; but to
no less than eight times, below which little of a suspect is left."""

LEAST_SHARED = 0.01
"""Of a suspect's law that is cut, on tokens which the target emits."""

EFFECTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Shares for which the growth of evidence is worked out beforehand."""

Laws = Shaped[np.ndarray, "tokens vocab"]


class Scores(NamedTuple):
    """What texts say of one suspect, their tokens one after another.

    Attributes:
        ratios: (tokens,) a / p of each emitted token; `LARGEST_RATIO` where p is 0.
        largest: (tokens,) the largest a / p of each row.
    """

    ratios: Shaped[np.ndarray, " tokens"]
    largest: Shaped[np.ndarray, " tokens"]


def cap(band: float) -> float:
    """The most that a suspect may be likelier than the target, in a bet."""
    return max(SMALLEST_CAP, CAP_PER_BAND / band) if band else LARGEST_RATIO


def scores(suspects: Sequence[Suspect], texts: Sequence[Rows], band: float = 0.0) -> list[Scores]:
    """What texts say of each suspect."""
    target, tokens = (np.concatenate([getattr(rows, name) for rows in texts]) for name in ("target", "tokens"))
    return [scores_of(np.concatenate([suspect.law(rows) for rows in texts]), target, tokens, band) for suspect in suspects]


def scores_of(law: Laws, target: Laws, tokens: np.ndarray, band: float = 0.0) -> Scores:
    """What tokens say of one law."""
    ratios = likelier(law, target, band)
    return Scores(ratios[np.arange(len(tokens)), tokens], ratios.max(-1, initial=0.0))


def likelier(law: Laws, target: Laws, band: float = 0.0) -> Laws:
    """a / p of every token: 0 where both are 0, and the most there is where p alone is. Both are taken as normalised, whatever rounding
    left of their sums. With a band it is cut at `cap`, and what is cut is spread over all tokens in proportion, so that the mean under p
    is again 1; a law of which next to nothing is on tokens that p emits becomes p, on which nothing can be won."""
    mass = target.sum(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where(target > 0, law / target, np.where(law > 0, np.inf, 0.0)) * (mass / law.sum(-1, keepdims=True))
    ratios = np.minimum(ratios, cap(band))
    if band:
        mean = (target * ratios).sum(-1, keepdims=True) / mass
        ratios = np.where(mean > LEAST_SHARED, ratios / np.maximum(mean, LEAST_SHARED), 1.0)
    return ratios


def growth(law: Laws, target: Laws, band: float = 0.0) -> Shaped[np.ndarray, "tokens effects"]:
    """What a token adds, in nats, to the evidence for a share of the suspect that is real, or to that against one that is not, whichever is
    less; a row and a share of `EFFECTS`.

    The first is KL(p_e || p) and the second KL(p || p_e) for p_e = (1 - e) p + e a, each less what is paid for the band.
    """
    ratios = likelier(law, target, band)
    mass, largest = target.sum(-1), ratios.max(-1, initial=0.0)
    forbidden = ((target == 0) * law).sum(-1) * np.log(cap(band))
    found = np.empty((len(target), len(EFFECTS)))
    for place, share in enumerate(EFFECTS):
        payoffs = 1 - share + share * ratios
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(payoffs)
            real = (
                (target * np.where(payoffs > 0, payoffs * logs, 0.0)).sum(-1) / mass + share * forbidden - np.log1p(band * share * largest)
            )
            unreal = -(np.where(target > 0, target * logs, 0.0)).sum(-1) / mass
        swing = 1 - (1 - share) / (1 - share + share * largest)
        found[:, place] = np.minimum(real, unreal - np.log1p(band * swing))
    return found.clip(min=0)
