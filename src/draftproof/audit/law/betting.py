"""Testing by betting: capital that grows only if the target's law is wrong, and an interval for how wrong.

Under the law `p_s = (1 - s) p + s a` a bet on the share e turns capital 1 into `p_e(y) / p_s(y)` at the token y: on average 1, so
capital is a martingale, and the chance that it ever exceeds 1 / alpha is at most alpha, however long one looks (Ville). Capital is
spread over shares of both signs, since the size of a fault is not known.

A share s is too large if the bets on smaller shares exceed 1 / alpha when s is taken as true, and too small if those on larger
shares do. The shares that are neither are an interval that holds at all times at once. An engine that leaks more than s, by a share that
may change from token to token, makes the bets below s lose all the more, since `p_e / p_s` falls as a / p grows; so what is too large
for s is so for every larger share. The logarithm of `p_s(y)` is concave in s, so the shares that are too large are those beyond one
point, and halving finds it.

With a band d each row of the target is known up to a total variation d. The mean of a bet then exceeds 1 by at most
`(1 - s) d` times the range of its payoffs, by which each payoff is divided. What is bounded is still the share of the suspect itself: that
its law was cut makes the bets below s lose more, not less.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from draftproof.audit.law.scoring import Scores
from draftproof.audit.law.suspects import LARGEST_RATIO
from draftproof.shapes import Shaped

STAKES = {
    0.0: 0.05,
    **dict.fromkeys((0.01, 0.02, 0.05, 0.1, 0.2, 0.5), 0.1),
    1.0: 0.25,
    **dict.fromkeys((-0.01, -0.03, -0.1, -0.3, -1.0), 0.02),
}
"""The shares that are bet on, and the part of the capital on each. Most faults are whole, and few emit less of a suspect than the target
does, which is a negative share. The bet on 0 wins nothing against the target's law; it bounds a share that is not there. An interval cannot
become narrower than the gap between two bets."""

SHARES = np.array(list(STAKES))

LOG_STAKES = np.log(list(STAKES.values()))

NEARLY = 0.99
"""A negative share is held to this part of the largest under which no token has a negative probability."""

PRECISION = 1e-4
"""To which the ends of an interval are found; they are given on the safe side."""


@dataclass
class Capital:
    """The evidence that tokens follow one suspect, as it stands.

    Attributes:
        band: total variation up to which each row of the target is known.
        tokens: judged so far.
        log_wealth: (shares,) what each part of the capital became, as the logarithm of a multiple of its start.
        growth: (tokens so far, logarithm of the whole capital) after each text.
    """

    band: float = 0.0
    tokens: int = 0
    log_wealth: np.ndarray = field(default_factory=lambda: np.zeros(len(SHARES)))
    growth: list[tuple[int, float]] = field(default_factory=list)
    _parts: list[Scores] = field(default_factory=list)

    def add(self, scores: Scores, lengths: Sequence[int]) -> None:
        """Bet on every token of texts of these lengths, one after another; none is empty."""
        self._parts.append(scores)
        sizes = np.asarray(lengths, np.int64)
        ends = sizes.cumsum()
        won = np.add.reduceat(log_payoffs(scores, 0.0, self.band), ends - sizes, axis=-1)
        wealth = self.log_wealth[:, None] + won.cumsum(-1)
        assert not np.isnan(wealth).any(), "a suspect gave a token a negative probability: such a bet would never be seen to win"
        self.growth += zip((self.tokens + ends).tolist(), log_sum(LOG_STAKES[:, None] + wealth).tolist(), strict=True)
        self.log_wealth, self.tokens = wealth[:, -1], self.tokens + int(ends[-1])

    @property
    def log_e(self) -> float:
        """Logarithm of the capital over its start: the e-value against the target's law."""
        return float(log_sum(LOG_STAKES + self.log_wealth))

    @property
    def share(self) -> float:
        """The share that won most."""
        return float(SHARES[np.argmax(self.log_wealth)])

    @property
    def lowest(self) -> float:
        """The most negative share under which every row so far is a law; no less than -1."""
        if not self.tokens:
            return 0.0
        return -min(1.0, NEARLY / max(float(self._all.largest.max()) - 1, 1 / LARGEST_RATIO))

    def too_large(self, share: float, alpha: float) -> bool:
        """Whether this share of the suspect, and every larger one, is excluded at the error rate alpha."""
        return self._excluded(share, share > SHARES, alpha)

    def too_small(self, share: float, alpha: float) -> bool:
        """Whether this share is excluded because the tokens follow the suspect more often."""
        return self._excluded(share, share < SHARES, alpha)

    def interval(self, alpha: float) -> tuple[float, float] | None:
        """The shares that are not excluded, at confidence 1 - alpha; None if every one is, so that the fault is another."""
        if not self.tokens:
            return (0.0, 1.0)
        low = _edge(self.too_small, 1.0, 0.0, alpha) if self.too_small(0.0, alpha) else _edge(self.too_small, 0.0, self.lowest, alpha)
        if not self.too_large(0.0, alpha):
            return low, _edge(self.too_large, 0.0, 1.0, alpha)
        return None if self.too_large(self.lowest, alpha) else (low, _edge(self.too_large, self.lowest, 0.0, alpha))

    def _excluded(self, share: float, bets: np.ndarray, alpha: float) -> bool:
        return bool(log_sum((LOG_STAKES + self._against(share))[bets]) >= np.log(1 / alpha))

    def _against(self, share: float) -> Shaped[np.ndarray, " shares"]:
        """What each part of the capital became if this share is taken as true."""
        if not self.tokens:
            return self.log_wealth
        if self.band:
            return log_payoffs(self._all, share, self.band).sum(-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.log_wealth - np.log(1 - share + share * self._all.ratios).sum()

    @property
    def _all(self) -> Scores:
        """Every text as one."""
        if len(self._parts) > 1:
            self._parts = [Scores(*(np.concatenate(each) for each in zip(*self._parts, strict=True)))]
        return self._parts[0]


def _edge(excludes: Callable[[float, float], bool], kept: float, beyond: float, alpha: float) -> float:
    """The first share from `kept` towards `beyond` that is excluded; `beyond` if none is."""
    if not excludes(beyond, alpha):
        return beyond
    while abs(beyond - kept) > PRECISION:
        middle = (kept + beyond) / 2
        if excludes(middle, alpha):
            beyond = middle
        else:
            kept = middle
    return beyond


def log_payoffs(text: Scores, share: float, band: float) -> Shaped[np.ndarray, "shares tokens"]:
    """The logarithm of what a bet on each of `SHARES` pays at each token, if `share`, under which every row is a law, were true."""
    bets = admissible(SHARES, text.largest)
    with np.errstate(divide="ignore", invalid="ignore"):
        paid = np.log(1 - bets + bets * text.ratios) - np.log(1 - share + share * text.ratios)
    if not band:
        return paid
    # Payoffs lie between those of the ratios 0 and `largest`.
    swing = (1 - share) * (1 - bets + bets * text.largest) / (1 - share + share * text.largest) - (1 - bets)
    return paid - np.log1p(band * np.abs(swing))


def admissible(shares: Shaped[np.ndarray, " shares"], largest: Shaped[np.ndarray, " tokens"]) -> Shaped[np.ndarray, "shares tokens"]:
    """The shares, held row by row to what leaves no token a negative probability."""
    return np.maximum(shares[:, None], -NEARLY / np.maximum(largest - 1, 1 / LARGEST_RATIO))


def log_sum(logs: np.ndarray) -> np.ndarray:
    """The logarithm of the sum along the first axis of numbers that are given as logarithms; that of 0 if there are none."""
    highest = np.max(logs, axis=0, initial=-np.inf)
    shift = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(shift + np.log(np.exp(logs - shift).sum(0)))


def log_mean(logs: Sequence[float] | np.ndarray) -> float:
    """The logarithm of the mean of numbers that are given as logarithms."""
    return float(log_sum(np.asarray(logs))) - float(np.log(len(logs)))


def e_bh(log_es: Sequence[float], alpha: float) -> list[int]:
    """Which of many hypotheses to reject, so that of those rejected a share of at most alpha is rejected wrongly on average, whatever their
    dependence (Wang and Ramdas 2022)."""
    order = np.argsort(-np.asarray(log_es), kind="stable")
    for count in range(len(order), 0, -1):
        if log_es[order[count - 1]] >= np.log(len(order) / (alpha * count)):
            return sorted(order[:count].tolist())
    return []
