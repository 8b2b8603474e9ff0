"""Rules that change the law on purpose. None of them is exact; each declares the law it follows instead.

A lossy rule is made with its parameters and carries two things: the rule, and `declared`, the law of the emitted token
at a drafted position as a function of the target's row and the draft's. Where nothing was drafted (the bonus
token) every one of them follows the target. The proof checks each against its declared law, and `drift` says how far
that law is from the target's. No speed is ever quoted for a lossy rule without that distance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.carriers import at, indicator, normalise, number, one_hot, pick_row, ratio, to_float64
from draftproof.errors import BadRequest
from draftproof.rules.chains import chain_laws, first_rejection
from draftproof.rules.greedy import greedy_law
from draftproof.shapes import Array, Shaped
from draftproof.types import NOTHING, Draft, RowLaw, Rule, VerdictLaw

Number = float | Fraction


@dataclass(frozen=True)
class Lossy:
    """A rule that follows another law than the target's.

    Attributes:
        rule: the law of a verdict on a chain.
        declared: the law of the token emitted at a drafted position.
    """

    rule: Rule
    declared: RowLaw

    def followed(self, target_rows: Shaped[Array, "*axes vocab"], draft_rows: Shaped[Array, "*axes vocab"]) -> Shaped[Array, "*axes vocab"]:
        """The law of the emitted token at any position: the declared one, and the target's where the draft row is zeros."""
        drafted = (draft_rows.sum(-1) > 0)[..., None]
        return self.declared(target_rows, draft_rows) * drafted + target_rows * ~drafted

    def drift(self, target_rows: Shaped[Array, "*axes vocab"], draft_rows: Shaped[Array, "*axes vocab"]) -> Any:
        """The total variation between the declared law and the target's, at each row."""
        return abs(self.declared(target_rows, draft_rows) - target_rows).sum(-1) / 2


SlotRule = Callable[[Array, Array, np.ndarray], Array]
"""(target rows, draft rows, tokens) at a slot or at all slots -> the chance to keep the token, or the law of a fallback."""


def chain_rule(accept: SlotRule, fallback: SlotRule, *, name: str) -> Rule:
    """The rule that keeps each drafted token with probability `accept`, and after the first refusal draws from `fallback`."""

    def rule(target_probs: Array, draft: Draft) -> VerdictLaw:
        q, x = chain_laws(target_probs, draft, rule=name)
        drafted = indicator(x != NOTHING, target_probs)

        def correction(kept: np.ndarray) -> Array:
            p_kept, here = pick_row(target_probs, kept), pick_row(drafted, kept)[:, None]
            return fallback(p_kept, pick_row(q, kept), pick_row(x, kept)) * here + p_kept * (1 - here)

        return VerdictLaw(first_rejection(accept(target_probs, q, x) * drafted), correction)

    return rule


def toward(declared: RowLaw, *, name: str) -> Lossy:
    """Rejection against a declared law: exact for that law, and so the most accepting rule that follows it."""

    def accept(p: Array, q: Array, x: np.ndarray) -> Array:
        return ratio(at(declared(p, q), x), at(q, x)).clip(max=1)

    def fallback(p: Array, q: Array, x: np.ndarray) -> Array:
        pi = declared(p, q)
        return normalise((pi - q).clip(min=0), otherwise=pi)

    return Lossy(chain_rule(accept, fallback, name=name), declared)


def lenience(level: Number) -> Lossy:
    """Accept as if the draft were `level` times as likely as it is: Leviathan et al. 2023, appendix A.5.

    Keep x with probability min(1, p(x) / (level q(x))), else draw from the positive part of p - level q. No token's
    probability grows by more than 1 / level; level 1 is `rejection`.
    """
    _check("lenience level", level, "0 < level <= 1", 0 < level <= 1)

    def accept(p: Array, q: Array, x: np.ndarray) -> Array:
        return (ratio(at(p, x), at(q, x)) / number(level, p)).clip(max=1)

    def residual(p: Array, q: Array) -> Array:
        return normalise((p - number(level, p) * q).clip(min=0), otherwise=p)

    def declared(p: Array, q: Array) -> Array:
        common = q - (q - p / number(level, p)).clip(min=0)
        return common + (1 - common.sum(-1))[..., None] * residual(p, q)

    return Lossy(chain_rule(accept, lambda p, q, x: residual(p, q), name="lenience"), declared)


def ensemble(weight: Number) -> Lossy:
    """Follow weight * target + (1 - weight) * draft: DIVERSE (arXiv 2604.07622). Drift: (1 - weight) TV(p, q)."""
    _check("ensemble weight", weight, "0 <= weight <= 1", 0 <= weight <= 1)

    def declared(p: Array, q: Array) -> Array:
        share = number(weight, p)
        return share * p + (1 - share) * q

    return toward(declared, name="ensemble")


def mentored(boost: Number) -> Lossy:
    """Follow the draft as far as no token is made more than `boost` times as likely as the target has it.

    The law is q held between B p and boost * p, with the B <= 1 at which it sums to 1: mentored decoding (Tran-Thien
    2023). It accepts most among the laws of its divergence from the target; boost 1 is `rejection`.
    """
    _check("mentored boost", boost, "boost >= 1", boost >= 1)

    def declared(p: Array, q: Array) -> Array:
        capped = q - (q - number(boost, p) * p).clip(min=0)
        missing = 1 - capped.sum(-1)
        # sum (B p - q)+ is convex and piecewise linear in B, so Newton's steps from B = 1 fall
        # to the exact root and stop there; a step up is rounding, and is not taken.
        level, before = missing * 0 + 1, missing * 0 + 2
        while bool((level < before).any()):
            lifted = level[..., None] * p > q
            slope = (p * lifted).sum(-1)
            root = ratio(missing + (q * lifted).sum(-1), slope) + level * (slope == 0)
            before, level = level, level - (level - root).clip(min=0)
        return capped + (level[..., None] * p - q).clip(min=0)

    return toward(declared, name="mentored")


def typical(epsilon: float = 0.3, delta: float = 0.09) -> Lossy:
    """Keep x if p(x) > min(epsilon, delta exp(-entropy of p)), else emit the target's likeliest token: Medusa (arXiv 2401.10774).

    The declared law is q on the kept set, and the rest of q's mass on the argmax of p. At high temperature it is q.
    """
    _check("typical epsilon", epsilon, "0 < epsilon < 1", 0 < epsilon < 1)
    _check("typical delta", delta, "delta > 0", delta > 0)

    def kept(p: Array) -> Array:
        row = to_float64(p)
        entropy = -(row * np.log(row, where=row > 0, out=np.zeros_like(row))).sum(-1, keepdims=True)
        return indicator(row > np.minimum(epsilon, delta * np.exp(-entropy)), p)

    def accept(p: Array, q: Array, x: np.ndarray) -> Array:
        return at(kept(p), x)

    def fallback(p: Array, q: Array, x: np.ndarray) -> Array:
        return greedy_law(p)

    def declared(p: Array, q: Array) -> Array:
        likely = q * kept(p)
        return likely + (1 - likely.sum(-1))[..., None] * greedy_law(p)

    return Lossy(chain_rule(accept, fallback, name="typical"), declared)


def threshold(accept_at: Number, surely_at: Number = 1) -> Lossy:
    """Keep x with probability min(1, p(x) / accept_at), and surely if p(x) >= surely_at; else draw from p without x.

    The acceptance thresholds that serving engines offer, on a chain. Both at 1 it is `match`.
    """
    _check("threshold accept_at", accept_at, "0 < accept_at <= 1", 0 < accept_at <= 1)
    _check("threshold surely_at", surely_at, "0 < surely_at <= 1", 0 < surely_at <= 1)

    def chance(p: Array) -> Array:
        surely = p >= number(surely_at, p)
        return (p / number(accept_at, p)).clip(max=1) * ~surely + surely

    def accept(p: Array, q: Array, x: np.ndarray) -> Array:
        return at(chance(p), x)

    def fallback(p: Array, q: Array, x: np.ndarray) -> Array:
        return normalise(p * (1 - one_hot(x, p.shape[-1], p)), otherwise=p)

    def declared(p: Array, q: Array) -> Array:
        refused = ratio(q * (1 - chance(p)), 1 - p)
        return q * chance(p) + p * (refused.sum(-1)[..., None] - refused)

    return Lossy(chain_rule(accept, fallback, name="threshold"), declared)


def _check(name: str, value: Number, wanted: str, valid: bool) -> None:
    if not valid:
        raise BadRequest(f"{name} is {value}; it must satisfy {wanted}")
