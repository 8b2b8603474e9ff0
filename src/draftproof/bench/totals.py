"""The ratio of two totals, and how far it may be off because other prompts would have been asked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number with its interval at the confidence `CONFIDENCE`.

    Attributes:
        value: the estimate.
        low, high: None where there was but one observation.
    """

    value: float
    low: float | None
    high: float | None


def ratio_of_totals(numerators: Sequence[float], denominators: Sequence[float]) -> Estimate:
    """The sum of the one over the sum of the other; each place is an observation of its own.

    The interval is that of the jackknife: each place is left out once, and the logarithm of the ratio is taken to be off by Student's law
    with a degree of freedom less than there are places. Resampling the places instead gives intervals that are too short when there are few
    of them.
    """
    above, below = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    value = float(above.sum() / below.sum())
    if len(above) < 2:
        return Estimate(value, None, None)
    from scipy.stats import t

    count = len(above)
    left_out = np.log((above.sum() - above) / (below.sum() - below))
    spread = np.sqrt((count - 1) / count * ((left_out - left_out.mean()) ** 2).sum())
    reach = float(np.exp(t.ppf((1 + CONFIDENCE) / 2, count - 1) * spread))
    return Estimate(value, value / reach, value * reach)
