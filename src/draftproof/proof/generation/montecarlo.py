"""An independent check of a verdict: the same call with real randomness, counted.

Nothing of the exploration takes part: the library draws with torch's own generator. The counts are held against a law by
a chi-square test.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from draftproof.errors import BadRequest
from draftproof.proof.laws import Output

ALPHA = 1e-6
"""The error rate of each test: how often a right law is rejected."""

FEWEST, MOST = 1_000, 20_000
"""Samples. The most take some minutes."""

LEAST_EXPECTED = 5
"""Outputs of which fewer are expected are counted together; below this the chi-square law is a poor approximation."""


class Confirmation(NamedTuple):
    """What the counts say of two laws.

    Attributes:
        samples: drawn.
        p_observed, p_expected: of the counts, if the law that the exploration found were true, and if the expected one were.
    """

    samples: int
    p_observed: float
    p_expected: float

    def agrees(self, *, differ: bool) -> bool:
        """True if the counts follow the law that was found and, where the two laws differ, contradict the expected one."""
        return self.p_observed >= ALPHA and (self.p_expected < ALPHA) == differ


def confirm(
    program: Callable[[], Output], observed: Mapping[Output, Fraction], expected: Mapping[Output, Fraction], *, differ: bool, seed: int = 0
) -> Confirmation:
    """Run the program with real randomness, often enough to tell the two laws apart if they are said to differ.

    Raises:
        BadRequest: they differ by less than `MOST` samples can show.
    """
    import torch

    samples = samples_needed(observed, expected) if differ else FEWEST
    if samples > MOST:
        raise BadRequest(f"the two laws are too close: {samples} samples would be needed, at most {MOST} are drawn")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        counts = Counter(program() for _ in range(samples))
    return Confirmation(samples, p_value(counts, observed), p_value(counts, expected))


def samples_needed(observed: Mapping[Output, Fraction], expected: Mapping[Output, Fraction]) -> int:
    """How many samples of the first law reject the second in all but one case of a thousand.

    The statistic is then about the noncentral chi-square with noncentrality samples * sum((o - e)**2 / e).
    """
    from scipy.stats import chi2, ncx2

    if any(not expected.get(output) for output, probability in observed.items() if probability):
        return FEWEST  # an output that must not occur rejects by itself
    distance = float(sum((observed.get(output, 0) - e) ** 2 / e for output, e in expected.items() if e))
    degrees = max(len(expected) - 1, 1)
    threshold = chi2.isf(ALPHA, degrees)
    low, high = 0.0, 16.0 * (threshold + degrees)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if ncx2.sf(threshold, degrees, middle) < 0.999 else (low, middle)
    return max(FEWEST, ceil(high / distance)) if distance else MOST + 1


def p_value(counts: Mapping[Output, int], law: Mapping[Output, Fraction]) -> float:
    """The chance of counts at least as far from the law; 0 if something occurred that the law excludes."""
    from scipy.stats import chi2

    if any(count and not law.get(output) for output, count in counts.items()):
        return 0.0
    samples = sum(counts.values())
    expected = {output: float(probability) * samples for output, probability in law.items() if probability}
    rare = [output for output, number in expected.items() if number < LEAST_EXPECTED]
    cells = [(counts.get(output, 0), number) for output, number in expected.items() if output not in rare]
    if rare:
        cells.append((sum(counts.get(output, 0) for output in rare), sum(expected[output] for output in rare)))
    statistic = sum((count - number) ** 2 / number for count, number in cells)
    return float(chi2.sf(statistic, len(cells) - 1)) if len(cells) > 1 else 1.0
