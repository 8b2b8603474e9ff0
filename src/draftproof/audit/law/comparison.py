"""Text alone: an engine with its drafts on against the same engine with them off, by permutation.

Nothing is known of any law, so whole answers are compared. Under the null the answers to one prompt are exchangeable between the two sides,
whatever their law; a permutation test is then exact for the number of answers that was fixed beforehand. It sees gross faults: a leak of
one per cent needs a trusted copy of the target.

The statistic is the squared maximum mean discrepancy, summed over prompts, with the share of equal places as kernel (Gao, Liang and
Guestrin 2024, arXiv 2410.20247).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from draftproof.audit.check import Check, Kind
from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word

Units = Sequence[object]
"""One answer as it is compared, place by place: token ids, or the characters of a text."""

NAME = "text with drafts and without"

POWER = 0.8
"""Of the smallest fault that a comparison is said to see."""

TRIALS = 40
"""Planted faults by which it is found."""

MIXTURES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
"""Sizes of the planted fault: the share of answers that are exchanged for scrambled ones."""


@dataclass(frozen=True)
class Comparison:
    """What two sets of answers say.

    Attributes:
        p_value: the chance of so large a difference if both sides follow one law.
        answers: on each side.
        detectable: the smallest share of scrambled answers that would have been found with probability `POWER`; None if none would.
        varied: whether answers to one prompt differ on either side.
    """

    p_value: float
    answers: tuple[int, int]
    detectable: float | None
    varied: bool = True

    def check(self, alpha: float, effect: float) -> Check:
        """The verdict at the error rate alpha; a PASS needs that the share `effect` would have been found."""
        seen = "no share of scrambled answers" if self.detectable is None else f"a share of {self.detectable:g} scrambled answers"
        if not self.varied:
            said = "every answer to a prompt is the same text, or none, so nothing was drawn; ask where answers vary"
            return Check(Kind.LAW, NAME, Word.INCONCLUSIVE if self.p_value >= alpha else Word.FAIL, said)
        sentence = f"{self.answers[0]} answers with drafts against {self.answers[1]} without: permutation p = {self.p_value:.2g}; {seen}"
        sentence += f" would have been seen with probability {POWER:g}"
        if self.p_value < alpha:
            word = Word.FAIL
        else:
            word = Word.PASS if self.detectable is not None and self.detectable <= effect else Word.INCONCLUSIVE
        values = {"p_value": self.p_value, "answers": list(self.answers), "detectable": self.detectable}
        return Check(Kind.LAW, NAME, word, sentence, values=values)


def compare(
    drafted: Mapping[object, Sequence[Units]], plain: Mapping[object, Sequence[Units]], *, length: int, alpha: float = 1e-3, seed: int = 0
) -> Comparison:
    """Compare the answers of two engines, prompt by prompt.

    Args:
        drafted, plain: by prompt, the answers on either side.
        length: places of each answer that count, fixed beforehand; shorter answers are filled up with a place of their own.
        alpha: the error rate that is meant; so many permutations are made that a p-value can fall below a fifth of it.

    Raises:
        BadRequest: no prompt with answers on both sides.
    """
    random = np.random.default_rng(seed)
    pairs = [(_coded(drafted[prompt], plain[prompt], length), len(drafted[prompt])) for prompt in drafted if plain.get(prompt)]
    pairs = [(codes, count) for codes, count in pairs if 0 < count < len(codes)]
    if not pairs:
        raise BadRequest("no prompt has answers both with drafts and without; ask the same prompts of both")
    kernels = [(_kernel(codes), count) for codes, count in pairs]
    statistics = _statistics(kernels, int(np.ceil(5 / alpha)), random)
    p_value = float((statistics >= statistics[0] - 1e-12).mean())
    answers = sum(count for _, count in pairs), sum(len(codes) - count for codes, count in pairs)
    varied = any(len(np.unique(side, axis=0)) > 1 for codes, count in pairs for side in (codes[:count], codes[count:]))
    return Comparison(p_value, answers, _detectable(pairs, statistics[1:], alpha, random), varied)


def _coded(drafted: Sequence[Units], plain: Sequence[Units], length: int) -> np.ndarray:
    """Both sides as whole numbers, (answers, length), those with drafts first."""
    codes: dict[object, int] = {}
    found = np.full((len(drafted) + len(plain), length), -1)
    for row, answer in enumerate((*drafted, *plain)):
        for place, unit in enumerate(answer[:length]):
            found[row, place] = codes.setdefault(unit, len(codes))
    return found


def _kernel(codes: np.ndarray) -> np.ndarray:
    """The share of equal places of every two answers."""
    return np.mean(codes[:, None, :] == codes[None, :, :], axis=-1)


def _statistics(kernels: Sequence[tuple[np.ndarray, int]], permutations: int, random: np.random.Generator) -> np.ndarray:
    """The statistic as it was seen, and after each exchange of answers within their prompts."""
    totals = np.zeros(permutations + 1)
    for kernel, count in kernels:
        signs = np.where(np.arange(len(kernel)) < count, 1 / count, -1 / (len(kernel) - count))
        every = np.vstack([signs, random.permuted(np.tile(signs, (permutations, 1)), axis=1)])
        totals += ((every @ kernel) * every).sum(-1)
    return totals


def _detectable(pairs: Sequence[tuple[np.ndarray, int]], exchanged: np.ndarray, alpha: float, random: np.random.Generator) -> float | None:
    """By planting, against what an exchange of answers reaches with probability alpha."""
    threshold = np.quantile(exchanged, 1 - alpha)
    for share in MIXTURES:
        planted = ([_planted(codes, count, share, random) for codes, count in pairs] for _ in range(TRIALS))
        seen = sum(_statistics([(_kernel(codes), count) for codes, count in each], 0, random)[0] > threshold for each in planted)
        if seen >= POWER * TRIALS:
            return share
    return None


def _planted(codes: np.ndarray, count: int, share: float, random: np.random.Generator) -> tuple[np.ndarray, int]:
    """As many answers as there were, drawn from the plain ones; a share of the first `count` is scrambled."""
    plain = codes[count:]
    drawn = plain[random.integers(len(plain), size=len(codes))]
    hit = np.flatnonzero(random.random(count) < share)
    drawn[hit] = plain.ravel()[random.integers(plain.size, size=(len(hit), codes.shape[1]))]
    return drawn, count
