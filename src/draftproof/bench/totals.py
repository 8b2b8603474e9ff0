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

    The interval is that of the jackknife: each place is left out once, and the logarithm of the ratio is taken to be off by Student's law.
    Where a few places make up most of the totals, these are all that there is. So the degrees of freedom are one less than the number of
    places of one size that would be worth as much (Kish 1965). Resampling the places gives intervals that are too short when there are few.

    How often it holds the truth, in simulations of 3 to 20 places: 0.94 to 0.97 where sizes differ and the ratio does not go with them
    (lognormal, up to sigma 1; ratios of sigma 0.2), 0.92 at worst where ratios differ as wildly too (sigma 0.6), and 0.88 to 0.95 where the
    largest places also have the largest ratios: what was not met of these is not in the sample.
    """
    above, below = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    value = float(above.sum() / below.sum())
    if len(above) < 2:
        return Estimate(value, None, None)
    from scipy.stats import t

    count = len(above)
    left_out = np.log((above.sum() - above) / (below.sum() - below))
    spread = np.sqrt((count - 1) / count * ((left_out - left_out.mean()) ** 2).sum())
    shares = (above / above.sum() + below / below.sum()) / 2
    freedom = max(1.0, 1 / (shares**2).sum() - 1)
    reach = float(np.exp(t.ppf((1 + CONFIDENCE) / 2, freedom) * spread))
    return Estimate(value, value / reach, value * reach)
