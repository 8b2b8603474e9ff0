"""Reasons for which no speed-up may be told. None of them can be outvoted by a good number."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from draftproof.bench.pairs import Pair, digests, grouped, speed_up, tokens_a_burst
from draftproof.bench.run import Reply
from draftproof.shapes import Shaped

NOISE_LIMIT = 0.15
"""One standard deviation of equal work, as a share. A pair then differs from another by a fifth through noise alone."""

FEWEST_GROUPS = 3
"""Prompts, or repeats of a service. From two the interval is Student's with one degree of freedom: 12.7 standard errors to each side."""

LARGER_BURSTS = 1.05
"""How many times the tokens a burst a silent engine must send with a draft, for it to be believed that it drafts."""

BEYOND_DRAFTS = 1.1
"""How many times the tokens a pass a speed-up may be. A pass with a draft has more rows than one without, and is no faster but by noise."""

ALPHA = 0.01
"""The error rate of the test of lengths."""

TESTABLE = 9
"""Prompts with other lengths that the test of lengths takes. With seven, no outcome is as rare as `ALPHA`; with eight, not every extreme
one is."""

LENGTHS_APART = 0.1
"""Where the test cannot tell: of all that is written without a draft, the part by which texts may be longer with one, and the part by
which others may be shorter. The time to the first token weighs little more in one than in the other."""

RESAMPLES = 9_999


def refusals(pairs: Sequence[Pair], *, noise: float | None, noise_limit: float = NOISE_LIMIT) -> tuple[str, ...]:
    """Every reason, each a clause without a full stop; empty if the ratio may be told.

    Args:
        pairs: of one engine in one cell.
        noise: see `noise.noise_of_pairs`.
        noise_limit: the most of it.
    """
    if not any(pair.timed for pair in pairs):
        return ("the engine was not measured without a draft on the same orders, or nothing was emitted",)
    reasons = (
        _too_few(pairs),
        _nothing_drafted(pairs),
        _drafted_without(pairs),
        _beyond_drafts(pairs),
        _other_lengths(pairs),
        _too_noisy(noise, noise_limit),
    )
    return tuple(reason for reason in reasons if reason)


def _too_few(pairs: Sequence[Pair]) -> str:
    groups, what = len(grouped(pairs)), "prompts" if len(pairs[0].plain.replies) == 1 else "repeats"
    return "" if groups >= FEWEST_GROUPS else f"{groups} {what} were measured in pairs, and an interval takes {FEWEST_GROUPS}"


def _nothing_drafted(pairs: Sequence[Pair]) -> str:
    written = [reply for pair in pairs for reply in pair.drafting.replies if reply.tokens]
    told = [reply.drafted for reply in written if None not in (reply.drafted, reply.accepted)]
    if told and len(told) < len(written):
        return f"the engine tells of {len(told):,} texts what was drafted, and not of {len(written) - len(told):,} others"
    if told:
        return "" if any(told) else "nothing was drafted"
    with_draft = tokens_a_burst(written)
    without = tokens_a_burst(reply for pair in pairs for reply in pair.plain.replies)
    if with_draft >= LARGER_BURSTS * without:
        return ""
    return (
        f"the engine does not tell whether it drafted, and its text came in bursts of {with_draft:.2f} tokens, where they hold "
        f"{without:.2f} without a draft"
    )


def _drafted_without(pairs: Sequence[Pair]) -> str:
    drafted = sum(reply.drafted or 0 for pair in pairs for reply in pair.plain.replies)
    return f"the engine drafted {drafted:,} tokens where it was to draft none" if drafted else ""


def _beyond_drafts(pairs: Sequence[Pair]) -> str:
    """Every pass of the target takes at least as long with a draft, so what its drafts save is passes, and nothing else."""
    groups = grouped(pairs)
    found, most = speed_up(groups, lambda pair: pair.ratio), speed_up(groups, lambda pair: pair.ceiling).value
    if found.value <= BEYOND_DRAFTS * most or (found.low or found.value) <= most:
        return ""
    return f"it was faster by {found.value / most - 1:.0%} than its drafts can have made it, which brought {most:.2f} tokens a pass"


def _other_lengths(pairs: Sequence[Pair]) -> str:
    if all(digests(pair.drafting) == digests(pair.plain) for pair in pairs):
        return ""
    with_draft, without = _mean_lengths([pair.drafting.replies for pair in pairs]), _mean_lengths([pair.plain.replies for pair in pairs])
    more, less = (float(np.maximum(0, way * (with_draft - without)).sum() / without.sum()) for way in (1, -1))
    apart = f"texts are {abs(more - less):.0%} {'longer' if more > less else 'shorter'} with a draft than without"
    if (differing := int(np.count_nonzero(with_draft != without))) >= TESTABLE:
        chance = lengths_p_value(with_draft, without)
        return "" if chance >= ALPHA else f"the lengths of texts follow another law with a draft than without (p = {chance:.2g}): {apart}"
    if max(more, less) <= LENGTHS_APART:
        return ""
    if abs(more - less) <= LENGTHS_APART:
        apart = f"with a draft some texts are longer, by {more:.0%} of all that is written, and others shorter, by {less:.0%}"
    return f"{apart}, and those on {differing} prompts are too few to tell whether that is chance: it takes {TESTABLE}"


def _mean_lengths(runs: Sequence[Sequence[Reply]]) -> Shaped[np.ndarray, " prompts"]:
    """The mean length of the texts on each prompt."""
    lengths: dict[int, list[int]] = defaultdict(list)
    for replies in runs:
        for reply in replies:
            lengths[reply.place].append(reply.tokens)
    return np.array([np.mean(lengths[place]) for place in sorted(lengths)])


def lengths_p_value(ours: Shaped[np.ndarray, " prompts"], theirs: Shaped[np.ndarray, " prompts"], *, seed: int = 0) -> float:
    """The chance of lengths so far apart if both were drawn, prompt by prompt, from one law.

    If they were, the two lengths on a prompt may change places. Two distances are looked at: that of the means, which finds texts that are
    all a little longer, and the largest between the distributions, which finds lengths that are more spread out. The smaller chance of the
    two is itself held against what it would be if the lengths changed places.
    """
    stays = np.random.default_rng(seed).random((RESAMPLES + 1, len(ours))) < 0.5
    stays[0] = True
    first, second = np.where(stays, ours, theirs), np.where(stays, theirs, ours)
    means = np.abs((first - second).sum(1))
    widest = np.zeros(len(stays), dtype=int)
    for length in np.unique(np.concatenate([ours, theirs])):
        widest = np.maximum(widest, np.abs((first <= length).sum(1) - (second <= length).sum(1)))
    rarer = np.minimum(_chances(means), _chances(widest))
    return float(np.mean(rarer <= rarer[0]))


def _chances(distances: Shaped[np.ndarray, " resamples"]) -> Shaped[np.ndarray, " resamples"]:
    """For each, the share that is as large or larger."""
    ordered = np.sort(distances)
    return 1 - np.searchsorted(ordered, distances - 1e-9 * ordered[-1], side="left") / len(ordered)


def _too_noisy(noise: float | None, limit: float) -> str:
    if noise is None:
        return "no two runs did equal work, so how noisy the machine was is not known; measure more repeats"
    if noise <= limit:
        return ""
    return f"the machine was too noisy: the seconds a token on the same orders varied by {noise:.0%}, and {limit:.0%} is the limit"
