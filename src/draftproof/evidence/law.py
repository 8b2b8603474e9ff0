"""Evidence of law from one run: was as much accepted as the rule and the two laws predict?

It is a check of the wiring, not a proof. A wrong law can come with the right acceptance; acceptance that is wrong cannot
come with the right law.
"""

from dataclasses import dataclass
from math import exp, log1p

import numpy as np

from draftproof.carriers import to_float64
from draftproof.evidence.watch import Round
from draftproof.rules.bounds import coupled_overlap
from draftproof.verify import Independent, Verification

ALPHA = 1e-3
"""A run whose acceptance is less likely than this under the prediction fails the check."""


@dataclass
class Acceptance:
    """Tokens accepted against tokens predicted, summed over the rounds of a run.

    What each round adds to `observed - predicted` has mean 0 given all rounds before it, so how far the sum may stray is bounded
    by the sum of the variances.

    Attributes:
        verification: how the rounds are settled.
        drafted: tokens drafted.
        observed: of those, tokens accepted.
        predicted: how many the laws let expect.
        variance: of `observed`, given the predictions.
        largest: the most tokens that one term of the sum can be off by.
    """

    verification: Verification
    drafted: int = 0
    observed: int = 0
    predicted: float = 0.0
    variance: float = 0.0
    largest: int = 1

    def __call__(self, seen: Round) -> None:
        add = self._independent if isinstance(self.verification, Independent) else self._coupled
        self.drafted += int(seen.draft.present.sum())
        add(seen)

    def _independent(self, seen: Round) -> None:
        """The rule says with which probability the kept path ends at each node, given the drafted tokens."""
        assert isinstance(self.verification, Independent)
        self.largest = max(self.largest, seen.draft.tree.depth)
        depths = np.array([len(seen.draft.tree.path(node)) for node in range(seen.draft.tree.width + 1)])
        for law, kept in zip(to_float64(self.verification.rule(seen.target_probs, seen.draft).kept), seen.verdict.kept, strict=True):
            mean = law @ depths / law.sum()
            self._add(int(depths[kept]), mean, law @ depths**2 / law.sum() - mean**2)

    def _coupled(self, seen: Round) -> None:
        """One token at a time: a node that is reached has its next token accepted with the overlap of the race."""
        for row, kept in enumerate(seen.verdict.kept.tolist()):
            path = seen.draft.tree.path(kept)
            for place, node in enumerate((0, *path)):
                child = next((child for child in seen.draft.tree.children[node] if seen.draft.present[row, child - 1]), None)
                if child is None:
                    break
                target = to_float64(seen.target_probs[row, node])
                law = to_float64(seen.draft.laws(seen.target_probs[row, node])[row, child - 1])
                chance = min(float(coupled_overlap(target / target.sum(), law / law.sum())), 1.0)
                self._add(int(place < len(path)), chance, chance * (1 - chance))

    def _add(self, observed: int, mean: float, variance: float) -> None:
        self.observed += observed
        self.predicted += mean
        self.variance += max(variance, 0.0)

    @property
    def p_value(self) -> float:
        """At least the chance of a gap as large, two-sided (Freedman 1975): sound for few tokens and for rare events too."""
        gap = abs(self.observed - self.predicted)
        if gap <= 1e-6 * max(1, self.drafted):
            return 1.0
        if not self.variance:
            return 0.0
        excess = self.largest * gap / self.variance
        return min(1.0, 2 * exp(-self.variance / self.largest**2 * ((1 + excess) * log1p(excess) - excess)))

    @property
    def agrees(self) -> bool:
        return self.p_value >= ALPHA
