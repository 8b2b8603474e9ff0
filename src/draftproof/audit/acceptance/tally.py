"""Whether more, or fewer, of many events came true than their chances allow: one number, the e-value, that may be looked at at any time.

Each event has a chance that is known before it is seen. For any tilt s the product of `exp(s x) / (1 + chance (exp(s) - 1))` over events x
of 0 or 1 is on average 1 if the chances are right, and at most 1 if they are ceilings and s > 0. So it exceeds 1 / alpha with a probability
of at most alpha, however the number of events was chosen (Ville). Of the events only their sum enters, so the sum may be all that is told.
"""

from collections.abc import Sequence

import numpy as np

from draftproof.shapes import Shaped

Chances = Shaped[np.ndarray, " events"]

TILTS = tuple(0.1 * 2.0**power for power in range(9))
"""Over which capital is spread evenly: log-odds ratios from a fault of one part in forty to an event that should never happen."""


def log_e_above(count: int, ceilings: Chances) -> float:
    """Logarithm of the e-value against: each event had at most its chance."""
    return log_e_together([_log_payoff(tilt, count, ceilings) for tilt in TILTS])


def log_e_apart(count: int, chances: Chances, band: float = 0.0) -> float:
    """Logarithm of the e-value against: each event had its chance, which is known up to `band`."""
    low, high = (chances - band).clip(min=0), (chances + band).clip(max=1)
    return log_e_together([*(_log_payoff(tilt, count, high) for tilt in TILTS), *(_log_payoff(-tilt, count, low) for tilt in TILTS)])


def log_e_together(log_es: Sequence[float]) -> float:
    """Logarithm of the e-value of several bets against one hypothesis: their mean, whatever their dependence."""
    return float(np.logaddexp.reduce(log_es)) - float(np.log(len(log_es)))


def p_value(log_e: float) -> float:
    """At least the chance of as much evidence if the hypothesis is true."""
    return float(np.exp(min(0.0, -log_e)))


def refuting_count(ceilings: Chances, alpha: float) -> int | None:
    """The smallest count by which the ceilings are refuted at the error rate alpha; None if not even all events would."""
    low, high = 0, len(ceilings)
    if log_e_above(high, ceilings) < np.log(1 / alpha):
        return None
    while low < high:
        middle = (low + high) // 2
        if log_e_above(middle, ceilings) >= np.log(1 / alpha):
            high = middle
        else:
            low = middle + 1
    return low


def _log_payoff(tilt: float, count: int, chances: Chances) -> float:
    return float(tilt * count - np.log1p(chances * np.expm1(tilt)).sum())
