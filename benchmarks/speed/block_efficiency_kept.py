"""What each rule keeps of a draft, as an expectation.

In formulas p is the target's law and q the draft's, after the same rules of sampling. The sums are those of the pages of the rules under
"How much it keeps"; rows are floats, or fractions in a test that holds them against `proof.round_law`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from draftproof.carriers import at, ones, ratio
from draftproof.rules.bounds import coupled_overlap, overlap
from draftproof.rules.kseq import divisor
from draftproof.rules.match import match
from draftproof.rules.recursive import recursive
from draftproof.rules.traversal import traversal
from draftproof.types import NOTHING, Draft, Rule

# ---------------------------------------------------------------- chains


def survival(p: np.ndarray, q: np.ndarray, x: np.ndarray) -> dict[str, np.ndarray]:
    """By rule, the probability that at least i tokens are kept, given the i - 1 tokens before: (batch, draft).

    The i-th token is summed over the vocabulary, so nothing but the path before it is left to chance. `ceiling` is
    min(P, Q) summed over the i-th token, divided by Q of the path: averaged over paths it is the term i of `chain_ceiling`. On every
    path match <= coupled <= rejection <= block <= ceiling.

    Args:
        p, q: (batch, draft, vocab), the laws before each token.
        x: (batch, draft), the tokens, drawn from q.
    """
    px, qx = at(p, x), at(q, x)
    step, weight, odds, same, equal = (ones(p) for _ in range(5))
    terms: dict[str, list[np.ndarray]] = {name: [] for name in ("match", "coupled", "rejection", "block", "ceiling")}
    for slot in range(x.shape[1]):
        p_here, q_here = p[:, slot], q[:, slot]
        here = ratio(px[:, slot], qx[:, slot])
        terms["match"].append(equal * (p_here * q_here).sum(-1))
        terms["coupled"].append(same * np.array([coupled_overlap(*rows) for rows in zip(p_here, q_here, strict=True)]))
        terms["rejection"].append(step * overlap(p_here, q_here))
        terms["block"].append(overlap(weight[:, None] * p_here, q_here))
        terms["ceiling"].append(overlap(odds[:, None] * p_here, q_here))
        equal = equal * px[:, slot]
        same = same * np.array([agreement(*rows) for rows in zip(p_here, q_here, x[:, slot], strict=True)])
        step, weight, odds = step * here.clip(max=1), (weight * here).clip(max=1), odds * here
    return {name: np.stack(found, 1) for name, found in terms.items()}


def agreement(p: np.ndarray, q: np.ndarray, token: int) -> Any:
    """How often the token x that won the draft's race wins the target's too: 1 / sum_i max(q_i / q_x, p_i / p_x), divided by q_x."""
    if not p[token]:
        return p[token]
    return 1 / np.maximum(q, p * (q[token] / p[token])).sum()


def fixed_survival(p: np.ndarray, draft: Draft) -> np.ndarray:
    """The probability that at least i chosen tokens are kept: P(x^i), under every rule that is exact for them. (batch, draft)"""
    chances = at(p[:, :-1], draft.tokens) * (draft.tokens != NOTHING)
    return chances.cumprod(-1)


# ---------------------------------------------------------------- several tokens at one place


def independent_kept(p: np.ndarray, q: np.ndarray, count: int) -> Any:
    """What `recursive` keeps of one of `count` independent siblings. A residual does not depend on the token that was refused."""
    refused, left = 1, p
    for _ in range(count):
        refused = refused * (1 - overlap(left, q))
        left = _residual(left, q)
    return 1 - refused


def kseq_kept(p: np.ndarray, q: np.ndarray, count: int) -> Any:
    """1 - (1 - b)^n with b = sum min(q, p / r): what `kseq` keeps of one of n independent siblings."""
    r = divisor(p[None], q[None], count)[0]
    return 1 - (1 - overlap(p / r, q)) ** count


def top_plus_one_kept(p: np.ndarray, q: np.ndarray, count: int) -> Any:
    """p(T) + sum over v off T of min(p, q'), where T is the `count` - 1 likeliest tokens of q and q' the rest of q: also the ceiling."""
    top = likeliest(q, count - 1)
    return p[top].sum() + overlap(_without(p, top), _scaled(_without(q, top)))


def distinct_kept(p: np.ndarray, q: np.ndarray, elders: Sequence[int]) -> Any:
    """What `recursive` keeps of one of several distinct siblings, given all but the last, which is summed over the vocabulary."""
    refused, left, law = 1, p, q
    for token in elders:
        refused = refused * (1 - min(left[token] / law[token], 1))
        left, law = _residual(left, law), _scaled(_without(law, [token]))
    return 1 - refused * (1 - overlap(left, law))


def likeliest(q: np.ndarray, count: int) -> np.ndarray:
    """The `count` likeliest tokens, ties to the lowest id."""
    return np.argsort(-q, kind="stable")[:count]


def chosen_by_race(p: np.ndarray, q: np.ndarray, siblings: Sequence[int], generator: np.random.Generator, races: int) -> np.ndarray:
    """How often `coupled` keeps each of some distinct siblings, given all of them: the mean over `races` arrivals of the siblings.

    The siblings came first in the draft's race, one after another, so their times are known up to exponentials of the rate that was
    left. After the last of them the others race on as at the start. That none of these wins the target's race has a probability
    in closed form; only the times of the siblings are drawn.
    """
    chosen = np.array(siblings)
    others_p, others_q = np.delete(p, chosen), np.delete(q, chosen)
    rates = q[chosen][::-1].cumsum()[::-1] + others_q.sum()
    arrivals = (generator.standard_exponential((races, len(chosen))) / rates).cumsum(-1)
    with np.errstate(divide="ignore"):
        times = arrivals * q[chosen] / p[chosen]
    first, last = times.min(-1), arrivals[:, -1]
    win = np.array([np.exp(-(time * others_p - end * others_q).clip(min=0).sum()) for time, end in zip(first, last, strict=True)])
    return np.array([(win * (times[:, place] == first)).mean() for place in range(len(chosen))])


def _residual(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    excess = (p - q).clip(min=0)
    return _scaled(excess) if excess.any() else p


def _without(law: np.ndarray, tokens: Sequence[int] | np.ndarray) -> np.ndarray:
    rest = law.copy()
    rest[tokens] = rest[tokens] * 0
    return rest


def _scaled(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum() if weights.any() else weights


# ---------------------------------------------------------------- the ceiling of several distinct tokens

LOG_STEP = 0.4
LOG_TIMES = np.arange(-10, 42, LOG_STEP)
"""Of the integral below. Its integrand in ln t is as smooth as t exp(-t), so steps of 0.4 miss it by about exp(-pi^2 / 0.4) = 2e-11."""

CERTAIN = 600.0
"""Beyond a part of so many mean arrivals one has come for sure, as far as floats can tell; `count` factors of exp(CERTAIN / count) fit."""


def distinct_ceiling(p: np.ndarray, q: np.ndarray, count: int) -> float:
    """`transport_ceiling` of distinct siblings on a large vocabulary, to 1e-9; there it would take vocab**count steps.

    In the draft's race each token v arrives at an exponential time of rate q(v). All siblings lie in H if at least `count` tokens of H
    come before the first of the others, which arrives with the rate q(others). The integral over that time is a sum of steps.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.where(q > 0, p / q, np.inf).argsort(kind="stable")
    law = q[order]
    outside = np.append(law[:0:-1].cumsum()[::-1], 0.0)
    inside = np.zeros(len(law))
    for time in np.exp(LOG_TIMES):
        mean = np.minimum(law * time, CERTAIN / count)
        odds, before = np.expm1(mean), np.ones(len(law))
        fewer = before
        for _ in range(1, count):
            exactly = (odds * before).cumsum()
            fewer, before = fewer + exactly, np.append(0.0, exactly[:-1])
        fewer = fewer * np.exp(-mean.cumsum())
        inside += LOG_STEP * outside * time * np.exp(-outside * time) * (1 - fewer)
    inside[outside == 0] = 1
    return float(min(1.0, (p[order].cumsum() + 1 - inside).min()))


# ---------------------------------------------------------------- trees


def depth_kept(rule: Rule, p: np.ndarray, draft: Draft) -> np.ndarray:
    """The expected number of tokens that a rule keeps of the draft as it was drawn. (batch,)"""
    depths = np.array([len(draft.tree.path(node)) for node in range(draft.tree.width + 1)])
    return (rule(p, draft).kept * depths).sum(-1)


def tree_kept(p: np.ndarray, draft: Draft, generator: np.random.Generator, races: int) -> dict[str, np.ndarray]:
    """By rule, what is kept of chains that hang side by side from the context, their first tokens distinct. (batch,)"""
    kept = {rule.__name__: depth_kept(rule, p, draft) for rule in (match, recursive, traversal)}
    return kept | {"coupled": _coupled_tree(p, draft, generator, races)}


def _coupled_tree(p: np.ndarray, draft: Draft, generator: np.random.Generator, races: int) -> np.ndarray:
    first, q = draft.tree.children[0], draft.laws(p)
    below = np.stack([1 + _coupled_chain(p, draft, child) for child in first], 1)
    chosen = [
        chosen_by_race(p[row, 0], q[row, 0], [draft.tokens[row, child - 1] for child in first], generator, races) for row in range(len(p))
    ]
    return (np.stack(chosen) * below).sum(-1)


def _coupled_chain(p: np.ndarray, draft: Draft, node: int) -> np.ndarray:
    """What `coupled` keeps below a kept node, where one chain hangs from it."""
    nodes = [node]
    while children := draft.tree.children[nodes[-1]]:
        nodes.append(children[0])
    if len(nodes) == 1:
        return np.zeros(len(p))
    after = [below - 1 for below in nodes[1:]]
    return survival(p[:, nodes[:-1]], draft.laws(p)[:, after], draft.tokens[:, after])["coupled"].sum(-1)
