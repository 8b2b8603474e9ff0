"""Whether rollouts are on-policy: a gate with a tolerance, an error rate, and room for "not enough was seen".

What is bounded is the total variation between the engine's law mu and the reference pi, on average over the emitted tokens. Of the
measures in use it is the one that a sample bounds whatever the laws are: TV(mu, pi) is the mean under mu of max(0, 1 - pi(y) / mu(y)), a
number between 0 and 1. Weights may be as large as they like, and a token that the reference forbids counts 1. An engine that follows
another law for a share e of its tokens is within e.

Each such number f has the mean m = TV given all tokens before it. For any guess g that is made before f is seen, any l in (0, 1), and
psi(l) = -log(1 - l) - l,

    exp(l sum(f - m) - psi(l) sum((f - g)^2))    and    exp(l sum(m - f) - psi(l) sum((f - g)^2))

start at 1 and are on average no larger at any later time, since exp(l x - psi(l) x^2) <= 1 + l x for x >= -1 (Fan, Grama and Liu 2015;
Howard et al. 2021, theorem 4). So each ever exceeds 1 / alpha' with a chance of at most alpha' (Ville). A few l share alpha among them, and
the best of them gives the interval. Tokens of a text may depend on each other in any way. The interval holds at every number of tokens at
once, so that one may look after every batch and stop.
"""

from dataclasses import dataclass
from math import ceil, log, log1p

import numpy as np

from draftproof.audit.law.betting import log_mean
from draftproof.audit.logs.divergences import Level
from draftproof.audit.logs.rollouts import Rollouts
from draftproof.errors import BadRequest
from draftproof.shapes import Shaped

RATES = tuple(0.9 * 0.5**power for power in range(16))
"""The l of the formula. The largest is for differences of almost 0; each is half of the one before, and what lies between loses little."""

STAKES = (0.01, 0.1, 0.5)
"""Parts of the capital that are bet on a weight above 1."""

TOLERANCE = 0.01
ALPHA = 1e-3


@dataclass(frozen=True)
class Gate:
    """What may be done with rollouts.

    Attributes:
        on_policy: True or False, either with an error rate of at most `alpha`; None if too little was seen to say.
        level: of what the distance is a mean: tokens, or whole texts.
        distance: mean total variation, as seen; 0 if there is nothing.
        low, high: between which it lies, at confidence 1 - alpha.
        tolerance: up to which rollouts are called on-policy.
        count: tokens or texts that were judged.
        reason: one sentence.
    """

    on_policy: bool | None
    level: Level
    distance: float
    low: float
    high: float
    tolerance: float
    alpha: float
    count: int
    reason: str


def gate(rollouts: Rollouts, *, tolerance: float = TOLERANCE, alpha: float = ALPHA, level: Level = Level.TOKEN) -> Gate:
    """Rollouts are on-policy if the law they were drawn from is within `tolerance` of the reference, in total variation.

    It takes the engine at its word that tokens were drawn from the law whose log-probabilities it gives. That an engine computes the right
    law and draws from another is not seen here, but by a test of token ids against a reference model: call both. And it takes rollouts
    as they were drawn: texts that were lost or filtered because of what they hold bias it, and texts drawn with the same random
    numbers count as more evidence than they are.

    Args:
        tolerance: a mean total variation, above 0 and below 1. Over a text of n tokens, n times that of a token bounds that of the text.
        level: judge tokens, or texts as wholes, which differ far more and are far fewer.

    Raises:
        BadRequest: a tolerance or alpha that is not between 0 and 1.
    """
    for name, value in (("tolerance", tolerance), ("alpha", alpha)):
        if not 0 < value < 1:
            raise BadRequest(f"{name} is {value}; it must be above 0 and below 1")
    values = token_distances(rollouts) if level is Level.TOKEN else sequence_distances(rollouts)
    low, high = interval(values, alpha / 2)
    distance = float(values.mean()) if len(values) else 0.0
    on_policy = True if high <= tolerance else False if low > tolerance else None
    reason = _reason(on_policy, f"[{low:.3g}, {high:.3g}]", tolerance, needed(tolerance, alpha), level)
    if contradicted := int(rollouts.impossible_engine.sum()):
        on_policy = False
        share = f"{contradicted} of {len(rollouts.owner)}"
        reason = f"{share} emitted tokens are impossible by the engine's own account: it drew them from another law than it reports"
    elif log_e_overweight(rollouts) >= log(2 / alpha):
        on_policy = False
        reason = "the engine's probabilities are too small to be a law: the reference finds its tokens likelier than any law could be"
    return Gate(on_policy, level, distance, low, high, tolerance, alpha, len(values), reason)


def log_e_overweight(rollouts: Rollouts) -> float:
    """Logarithm of the e-value against: the log-probabilities of the engine are those of the law it drew from.

    If they are, a weight pi / mu is 1 on average or less, cut at 2 too; bets on it being more lose on average.
    """
    weights = np.exp(np.minimum(_log_ratios(rollouts), log(2)))
    return log_mean([float(np.log1p(stake * (weights - 1)).sum()) for stake in STAKES])


def needed(tolerance: float, alpha: float = ALPHA) -> int:
    """The fewest tokens, or texts, on which rollouts that agree perfectly are called on-policy."""
    return ceil(log(4 * len(RATES) / alpha) / (RATES[0] * tolerance))


def token_distances(rollouts: Rollouts) -> Shaped[np.ndarray, " tokens"]:
    """max(0, 1 - pi / mu) of each emitted token: 1 for one that the reference forbids, 0 for one that the engine calls impossible."""
    return _shortfall(_log_ratios(rollouts))


def sequence_distances(rollouts: Rollouts) -> Shaped[np.ndarray, " texts"]:
    """The same of each text that is not empty."""
    return _shortfall(np.bincount(rollouts.owner, _log_ratios(rollouts), len(rollouts.engine))[rollouts.lengths > 0])


def interval(values: Shaped[np.ndarray, " values"], alpha: float) -> tuple[float, float]:
    """Between which the average mean of numbers in [0, 1] lies, at confidence 1 - alpha; each has a mean given all numbers before it."""
    count = len(values)
    if not count:
        return 0.0, 1.0
    guesses = np.concatenate([[0.0], np.cumsum(values)[:-1] / np.arange(1, count)])
    spread = float(((values - guesses) ** 2).sum())
    room = log(2 * len(RATES) / alpha)
    radius = min((room + (-log1p(-rate) - rate) * spread) / rate for rate in RATES) / count
    mean = float(values.mean())
    return max(0.0, mean - radius), min(1.0, mean + radius)


def _log_ratios(rollouts: Rollouts) -> np.ndarray:
    ratios = np.zeros(len(rollouts.owner))
    ratios[rollouts.impossible_reference & ~rollouts.impossible_engine] = -np.inf
    ratios[rollouts.possible] = rollouts.log_weights
    return ratios


def _shortfall(log_ratios: np.ndarray) -> np.ndarray:
    return -np.expm1(np.minimum(log_ratios, 0.0))


def _reason(on_policy: bool | None, found: str, tolerance: float, least: int, level: Level) -> str:
    says = f"the mean total variation of a {level} lies in {found}"
    if on_policy is None:
        return f"{says}, on both sides of {tolerance:g}; give more rollouts, never fewer than {least} {level}s"
    if on_policy:
        return f"{says}, within {tolerance:g}"
    return f"{says}, above {tolerance:g}: the laws differ, or one is given before sampling rules and the other after them"
