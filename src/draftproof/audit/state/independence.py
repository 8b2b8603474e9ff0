"""Whether answers to one prompt that were asked for without a seed are drawn anew each time.

Both tests know the law: `texts` are token sequences of which none begins another, each with a known probability P under the target.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import lgamma, log

import numpy as np

from draftproof.audit.acceptance.tally import log_e_apart

Tokens = tuple[int, ...]


def equal_texts(texts: Sequence[Tokens], log_probs: Mapping[Tokens, float]) -> float:
    """At least the logarithm of the chance that as many texts are equal, or as unlikely ones, if all are independent.

    That some m of n texts are equal, of a probability of at most c, has a chance of at most C(n, m) c^(m-1): for each choice of m it is the
    sum of P^m over such texts. Here c is the probability of the rarest text that came m times; the level is shared out over m from 2 on
    by the weights 1 / (m (m-1)), which sum to 1.
    """
    counts, best = Counter(texts), 0.0
    for times in range(2, max(counts.values(), default=1) + 1):
        rarest = min(log_probs[text] for text, count in counts.items() if count >= times)
        best = min(best, log_chance(len(texts), times, rarest))
    return best


def log_chance(count: int, times: int, log_prob: float) -> float:
    """The bound for one text of this probability that came `times` times among `count`; see `equal_texts`."""
    ways = lgamma(count + 1) - lgamma(times + 1) - lgamma(count - times + 1)
    return min(0.0, log(times * (times - 1)) + ways + (times - 1) * log_prob)


def common_starts(texts: Sequence[Tokens], probabilities: Sequence[np.ndarray]) -> tuple[int, np.ndarray]:
    """How many tokens neighbouring texts have in common from their start, and the chance of each to be so.

    Given a text, its neighbour repeats the token at a place, as long as all before are the same, with the probability of that token.
    """
    count, chances = 0, []
    for one, other, probability in zip(texts, texts[1:], probabilities, strict=False):
        same = 0
        while same < min(len(one), len(other)) and one[same] == other[same]:
            same += 1
        count += same
        chances += probability[: min(same + 1, len(one))].tolist()
    return count, np.array(chances, float)


def neighbours(texts: Sequence[Tokens], probabilities: Sequence[np.ndarray], band: float = 0.0) -> tuple[int, float, float]:
    """Tokens that neighbouring texts have in common, how many are to be expected, and the logarithm of the e-value against independence."""
    count, chances = common_starts(texts, probabilities)
    return count, float(chances.sum()), log_e_apart(count, chances, band)
