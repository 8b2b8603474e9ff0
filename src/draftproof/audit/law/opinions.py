"""Second opinions: tests of the same question that everyone knows. They are reported beside the bets, and decide nothing.

Their p-values hold for a number of tokens fixed beforehand; an audit stops when it has seen enough, so theirs are a reader's cross-check.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from draftproof.audit.law.rows import Rows, Text

LEAST_EXPECTED = 5.0
"""Cells of a chi-square test that expect less are pooled."""


@dataclass
class Opinions:
    """What is remembered of the tokens for them.

    Attributes:
        seed: of the numbers that spread a token over its own probability.
    """

    seed: int = 0
    transforms: list[np.ndarray] = field(default_factory=list)
    first: dict[tuple[int, ...], Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    first_law: dict[tuple[int, ...], np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def add(self, text: Text, rows: Rows) -> None:
        self.transforms.append(transformed(rows, self._random.random(len(rows.tokens))))
        prompt = tuple(text.prompt)
        self.first[prompt][int(rows.tokens[0])] += 1
        self.first_law.setdefault(prompt, rows.target[0])

    def uniformity(self) -> float:
        """p-value that the transformed tokens are uniform (Kolmogorov and Smirnov)."""
        return float(stats.kstest(np.concatenate(self.transforms), "uniform").pvalue) if self.transforms else 1.0

    def independence(self) -> float:
        """p-value that neighbouring transformed tokens are uncorrelated."""
        values = np.concatenate(self.transforms) if self.transforms else np.empty(0)
        if len(values) < 10:
            return 1.0
        found = stats.pearsonr(values[:-1], values[1:]).statistic
        return float(2 * stats.norm.sf(abs(found) * np.sqrt(len(values) - 1)))

    def first_tokens(self) -> float:
        """p-value that the first tokens after each prompt follow its law (Pearson's chi-square, all prompts together)."""
        statistic, freedom = 0.0, 0
        for prompt, counts in self.first.items():
            expected = self.first_law[prompt] * counts.total()
            observed = np.zeros(len(expected))
            observed[list(counts)] = list(counts.values())
            if (observed > 0)[expected == 0].any():
                return 0.0
            cells = _pooled(observed, expected)
            statistic += sum((seen - wanted) ** 2 / wanted for seen, wanted in cells)
            freedom += len(cells) - 1
        return float(stats.chi2.sf(statistic, freedom)) if freedom > 0 else 1.0


def _pooled(observed: np.ndarray, expected: np.ndarray) -> list[tuple[float, float]]:
    """Cells that each expect enough: the large ones, and the small ones together, with the smallest large one if need be."""
    order = np.argsort(-expected, kind="stable")
    large = int((expected >= LEAST_EXPECTED).sum())
    if expected[order[large:]].sum() < LEAST_EXPECTED:
        large = max(0, large - 1)
    parts = [*order[:large, None], order[large:]]
    return [(float(observed[part].sum()), float(expected[part].sum())) for part in parts if expected[part].sum() > 0]


def transformed(rows: Rows, spread: np.ndarray) -> np.ndarray:
    """For each token a number that is uniform and independent if the token follows the target's law.

    It is the mass of all tokens before it, and a random part of its own: tokens are in the order of how much likelier the draft
    makes them, where that is known, so that a leak of the draft moves all numbers one way.
    """
    own = rows.probabilities
    if rows.draft is None:
        order = np.broadcast_to(np.arange(rows.target.shape[-1])[None, :], rows.target.shape)
    else:
        order = -rows.draft / np.maximum(rows.target, 1e-300)
    mine = order[np.arange(len(own)), rows.tokens][:, None]
    before = (order < mine) | ((order == mine) & (np.arange(order.shape[-1]) < rows.tokens[:, None]))
    return ((rows.target * before).sum(-1) + spread * own).clip(0, 1)
