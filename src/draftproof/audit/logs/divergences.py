"""How far the law that rollouts were drawn from is from the law they are trained as: the figures that RL practice logs.

With mu, pi and d as in `rollouts`, every figure is a mean of a function of d. So it says what it claims only if tokens were *drawn* from
mu. Equal log-probabilities are no evidence of that: an engine may compute one law and draw from another. Whether it did is judged from
token ids, with a reference model, and not here.

Impossible tokens are left out of every mean, and their texts of every mean over texts: see `rollouts.counts`.

A standard error of a mean over tokens is that of a ratio of two sums over texts (the cluster sandwich): tokens of one text depend on
each other, texts do not, given their prompts. It assumes many texts, of which none dominates. Weights of whole texts grow like the
exponential of the length, and a few texts can be all of the mean: the effective share says how many count.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from draftproof.audit.logs.rollouts import Rollouts

CAP = 2.0
"""Where importance weights are cut, by common default."""


class Level(StrEnum):
    """What a mean is over, each counted once."""

    TOKEN = "token"
    SEQUENCE = "sequence"


class Estimate(NamedTuple):
    """A figure, and how far chance moves it.

    Attributes:
        value: None if nothing was there to be averaged; inf where no float64 can hold it.
        standard_error: None where one text is all there is, or where a standard error says nothing.
    """

    value: float | None
    standard_error: float | None = None


class Figure(NamedTuple):
    """One number of the summary.

    Attributes:
        name: in reports and in JSON.
        level: what it is a mean over.
        formula: with w = exp(d) of a token, and W = exp(sum of d) of a text.
        says: what it estimates.
        of: from rollouts to it.
    """

    name: str
    level: Level
    formula: str
    says: str
    of: Callable[[Rollouts], Estimate]


def k1(rollouts: Rollouts) -> Estimate:
    """KL(mu || pi) a token, in nats, by the mean of -d: without bias, and below 0 now and then."""
    return _token_mean(rollouts, -rollouts.log_weights)


def k3(rollouts: Rollouts) -> Estimate:
    """KL(mu || pi) a token, in nats, by the mean of exp(d) - 1 - d: never below 0, and less scattered where the laws are near each other.

    It estimates the same only if mu can emit all that pi can; what pi can emit alone is missing from it, with its probability.
    """
    with np.errstate(over="ignore"):
        return _token_mean(rollouts, np.expm1(rollouts.log_weights) - rollouts.log_weights)


def chi2_token(rollouts: Rollouts) -> Estimate:
    """chi-square(pi || mu) a token, by the mean of exp(2 d), less 1."""
    return _less_one(_token_mean_exp(rollouts, 2 * rollouts.log_weights))


def chi2_sequence(rollouts: Rollouts) -> Estimate:
    """chi-square(pi || mu) of whole texts, by the mean of their weights squared, less 1; inf where float64 ends."""
    return _less_one(_sequence_mean_exp(2 * rollouts.sequence_log_weights))


def renyi2_sequence(rollouts: Rollouts) -> Estimate:
    """log(1 + chi-square) of whole texts, in nats: the same on a scale that does not overflow."""
    logs = 2 * rollouts.sequence_log_weights
    top = logs.max(initial=-np.inf)
    mean, error = _mean(np.exp(logs - top))
    return Estimate(None) if mean is None else Estimate(float(top + np.log(mean)), None if error is None else error / mean)


def log_perplexity(rollouts: Rollouts) -> Estimate:
    """log perplexity under the reference less that under the engine: the mean over texts of the mean of -d in each."""
    return _mean(-rollouts.sequence_log_weights / rollouts.sequence_lengths)


def effective_tokens(rollouts: Rollouts) -> Estimate:
    """The share of tokens that weighted means rest on, (sum w)^2 / (n sum w^2)."""
    return _effective(rollouts.log_weights)


def effective_sequences(rollouts: Rollouts) -> Estimate:
    """The share of texts that weighted means of whole texts rest on."""
    return _effective(rollouts.sequence_log_weights)


def truncated_token(rollouts: Rollouts, cap: float = CAP) -> Estimate:
    """The mean weight of a token, each cut at `cap`: 1, less what is cut, if the tokens were drawn from mu."""
    return _token_mean(rollouts, np.exp(np.minimum(rollouts.log_weights, np.log(cap))))


def truncated_sequence(rollouts: Rollouts, cap: float = CAP) -> Estimate:
    """The mean weight of a text, each cut at `cap`."""
    return _mean(np.exp(np.minimum(rollouts.sequence_log_weights, np.log(cap))))


def share_truncated_token(rollouts: Rollouts, cap: float = CAP) -> Estimate:
    """The share of tokens whose weight is above `cap`."""
    return _token_mean(rollouts, (rollouts.log_weights > np.log(cap)).astype(np.float64))


def share_truncated_sequence(rollouts: Rollouts, cap: float = CAP) -> Estimate:
    """The share of texts whose weight is above `cap`."""
    return _mean((rollouts.sequence_log_weights > np.log(cap)).astype(np.float64))


def largest_difference(rollouts: Rollouts) -> Estimate:
    """The largest |d| of a token, in nats."""
    found = np.abs(rollouts.log_weights)
    return Estimate(float(found.max()) if len(found) else None)


FIGURES = (
    Figure("kl_k1", Level.TOKEN, "mean(-log w)", "KL(engine || reference), nats a token", k1),
    Figure("kl_k3", Level.TOKEN, "mean(w - 1 - log w)", "KL(engine || reference), nats a token", k3),
    Figure("chi2_token", Level.TOKEN, "mean(w^2) - 1", "chi-square(reference || engine) of a token", chi2_token),
    Figure("chi2_sequence", Level.SEQUENCE, "mean(W^2) - 1", "chi-square(reference || engine) of a text", chi2_sequence),
    Figure("renyi2_sequence", Level.SEQUENCE, "log mean(W^2)", "log(1 + chi-square) of a text, in nats", renyi2_sequence),
    Figure("log_perplexity_difference", Level.SEQUENCE, "mean(-log W / length)", "log perplexity: reference less engine", log_perplexity),
    Figure("effective_share_token", Level.TOKEN, "sum(w)^2 / (n sum(w^2))", "tokens that weighted means rest on", effective_tokens),
    Figure("effective_share_sequence", Level.SEQUENCE, "sum(W)^2 / (n sum(W^2))", "texts that weighted means rest on", effective_sequences),
    Figure("weight_truncated_token", Level.TOKEN, f"mean(min(w, {CAP:g}))", "mean weight of a token", truncated_token),
    Figure("weight_truncated_sequence", Level.SEQUENCE, f"mean(min(W, {CAP:g}))", "mean weight of a text", truncated_sequence),
    Figure("share_truncated_token", Level.TOKEN, f"mean(w > {CAP:g})", "tokens whose weight is cut", share_truncated_token),
    Figure("share_truncated_sequence", Level.SEQUENCE, f"mean(W > {CAP:g})", "texts whose weight is cut", share_truncated_sequence),
    Figure("largest_difference", Level.TOKEN, "max |log w|", "largest difference of log-probabilities, in nats", largest_difference),
)
"""All that is reported, in order."""


def figures(rollouts: Rollouts) -> dict[str, Estimate]:
    """Every figure of `FIGURES` by its name."""
    return {figure.name: figure.of(rollouts) for figure in FIGURES}


def _token_mean(rollouts: Rollouts, values: np.ndarray) -> Estimate:
    """The mean over possible tokens, with the error of a ratio of sums over texts."""
    if not len(values):
        return Estimate(None)
    mean = float(values.mean())
    if not np.isfinite(mean):
        return Estimate(mean)
    clusters = len(np.unique(rollouts.owners))
    strays = np.bincount(rollouts.owners, values - mean)
    return Estimate(mean, _error(strays, clusters, len(values)))


def _mean(values: np.ndarray) -> Estimate:
    """The mean over texts that do not depend on each other."""
    if not len(values):
        return Estimate(None)
    mean = float(values.mean())
    return Estimate(mean, _error(values - mean, len(values), len(values)))


def _error(strays: np.ndarray, clusters: int, count: int) -> float | None:
    if clusters < 2:
        return None
    return float(np.sqrt(clusters / (clusters - 1) * (strays**2).sum()) / count)


def _token_mean_exp(rollouts: Rollouts, logs: np.ndarray) -> Estimate:
    """The mean of exp(logs) over possible tokens, without overflow on the way."""
    top = logs.max(initial=0.0)
    return _scaled(_token_mean(rollouts, np.exp(logs - top)), top)


def _sequence_mean_exp(logs: np.ndarray) -> Estimate:
    """The mean of exp(logs) over texts, without overflow on the way."""
    top = logs.max(initial=0.0)
    return _scaled(_mean(np.exp(logs - top)), top)


def _scaled(estimate: Estimate, log_factor: float) -> Estimate:
    """Times exp(log_factor), of which only the product may have to be a float64."""
    with np.errstate(over="ignore", divide="ignore"):
        return Estimate(*(None if part is None else float(np.exp(log_factor + np.log(part))) for part in estimate))


def _less_one(estimate: Estimate) -> Estimate:
    return estimate if estimate.value is None else estimate._replace(value=estimate.value - 1)


def _effective(logs: np.ndarray) -> Estimate:
    """Without a standard error: it would be one of the weights' fourth moment, which no sample knows."""
    if not len(logs):
        return Estimate(None)
    weights = np.exp(logs - logs.max())
    return Estimate(float(weights.sum() ** 2 / (len(weights) * (weights**2).sum())))
