"""Log-probabilities of an emitted token and of the likeliest ones, always of the target."""

from typing import NamedTuple

import numpy as np

from draftproof.carriers import to_float64
from draftproof.errors import BadRequest
from draftproof.shapes import Array, Shaped


class LogProbs(NamedTuple):
    """Natural logarithms of probabilities under the target.

    Attributes:
        token: the emitted token.
        raw: its log-probability under the softmax of the model's own logits, before every sampling rule.
        processed: the same under the law it was sampled from; -inf if that law forbids it.
        top_raw: (token, log-probability) of the likeliest tokens, the likeliest first and equal ones by id.
        top_processed: the same for the law; tokens that it forbids are left out.
    """

    token: int
    raw: float
    processed: float
    top_raw: tuple[tuple[int, float], ...]
    top_processed: tuple[tuple[int, float], ...]


def log_probs(logits: Shaped[Array, " vocab"], law: Shaped[Array, " vocab"], token: int, *, top: int = 0) -> LogProbs:
    """What to report of a token emitted from `law`, the target's law that its `logits` gave.

    Raises:
        BadRequest: `top` is negative or larger than the vocabulary, or the token is not in it.
    """
    scores = to_float64(logits)
    if not 0 <= top <= len(scores):
        raise BadRequest(f"the log-probabilities of {top} tokens were asked for; the vocabulary has {len(scores)}")
    if not 0 <= token < len(scores):
        raise BadRequest(f"token {token} is outside the vocabulary of {len(scores)}")
    raw = log_softmax(scores)
    with np.errstate(divide="ignore"):
        processed = np.log(to_float64(law))
    return LogProbs(token, float(raw[token]), float(processed[token]), _top(raw, top), _top(processed, top))


def log_softmax(scores: Shaped[np.ndarray, " vocab"]) -> Shaped[np.ndarray, " vocab"]:
    """The natural logarithms of the softmax of one row."""
    raw = scores - scores.max()
    raw -= np.log(np.exp(raw).sum())
    return raw


def _top(values: Shaped[np.ndarray, " vocab"], count: int) -> tuple[tuple[int, float], ...]:
    if count == 0:
        return ()
    least = np.partition(values, -count)[-count]
    ids = np.flatnonzero(values >= least)
    best = ids[np.argsort(-values[ids], kind="stable")][:count]
    return tuple((int(token), float(values[token])) for token in best if values[token] > -np.inf)
