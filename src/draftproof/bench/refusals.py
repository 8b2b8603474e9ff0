"""Reasons for which no speed-up may be told. None of them can be outvoted by a good number."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from draftproof.bench.pairs import Pair, digests, places
from draftproof.bench.run import Reply, Run
from draftproof.shapes import Shaped

NOISE_LIMIT = 0.15
"""One standard deviation of equal work, as a share. A pair then differs from another by a fifth through noise alone."""

FEWEST_GROUPS = 3
"""Prompts, or repeats of a service. From two the interval is Student's with one degree of freedom: 12.7 standard errors to each side."""

LARGER_BURSTS = 1.05
"""How many times the tokens a burst a silent engine must send with a draft, for it to be believed that it drafts."""

ALPHA = 0.01
"""The error rate of the test of lengths."""

TESTABLE = 9
"""Prompts with other lengths that the test of lengths takes. With seven, no outcome is as rare as `ALPHA`; with eight, not every extreme
one is."""

LENGTHS_APART = 0.1
"""Where the test cannot tell, mean lengths may differ by that share: the time to the first token weighs little more in one than in the
other."""

REMEMBERED = 0.1
"""The part of a text by which more of it may come from drafts when it is written again. A controller of widths that is still learning
moves it by less; an engine that drafts from what it wrote before moves it by most of what was not drafted at first."""

RESAMPLES = 9_999


def refusals(pairs: Sequence[Pair], *, groups: int, noise: float | None, noise_limit: float = NOISE_LIMIT) -> tuple[str, ...]:
    """Every reason, each a clause without a full stop; empty if the ratio may be told.

    Args:
        pairs: of one engine in one cell.
        groups: how many prompts, or repeats of a service, the pairs are from.
        noise: see `noise.noise`.
        noise_limit: the most of it.
    """
    if not any(pair.timed for pair in pairs):
        return ("the engine was not measured without a draft on the same orders, or nothing was emitted",)
    reasons = (_too_few(pairs, groups), _nothing_drafted(pairs), _remembered(pairs), _other_lengths(pairs), _too_noisy(noise, noise_limit))
    return tuple(reason for reason in reasons if reason)


def _too_few(pairs: Sequence[Pair], groups: int) -> str:
    what = "prompts" if len(pairs[0].plain.replies) == 1 else "repeats"
    return "" if groups >= FEWEST_GROUPS else f"{groups} {what} were measured in pairs, and an interval takes {FEWEST_GROUPS}"


def _nothing_drafted(pairs: Sequence[Pair]) -> str:
    told = [reply.drafted for pair in pairs for reply in pair.drafting.replies if reply.drafted is not None]
    if told:
        return "" if any(told) else "nothing was drafted"
    with_draft = _tokens_a_burst(reply for pair in pairs for reply in pair.drafting.replies)
    without = _tokens_a_burst(reply for pair in pairs for reply in pair.plain.replies)
    if with_draft >= LARGER_BURSTS * without:
        return ""
    return (
        f"the engine does not tell whether it drafted, and its text came in bursts of {with_draft:.2f} tokens, where they hold "
        f"{without:.2f} without a draft"
    )


def _remembered(pairs: Sequence[Pair]) -> str:
    """Repeats are there to see noise. To an engine that drafts from earlier texts they are the text itself."""
    at_first: dict[tuple[int, ...], Run] = {}
    tokens, before, after = 0, 0, 0
    for run in sorted((pair.drafting for pair in pairs), key=lambda run: run.repeat):
        first = at_first.setdefault(places(run), run)
        counts = [(reply.accepted, again.accepted) for reply, again in zip(first.replies, run.replies, strict=True)]
        if run is first or digests(run) != digests(first) or any(None in both for both in counts):
            continue
        tokens += run.tokens
        before += sum(kept or 0 for kept, _ in counts)
        after += sum(kept or 0 for _, kept in counts)
    if after - before <= REMEMBERED * tokens:
        return ""
    return (
        f"of the same texts {before / tokens:.0%} came from drafts at first and {after / tokens:.0%} when they were written again: the "
        "engine drafts from what it wrote before"
    )


def _tokens_a_burst(replies: Iterator[Reply]) -> float:
    counts = [(reply.tokens, len(reply.times)) for reply in replies]
    return sum(tokens for tokens, _ in counts) / max(1, sum(bursts for _, bursts in counts))


def _other_lengths(pairs: Sequence[Pair]) -> str:
    if all(digests(pair.drafting) == digests(pair.plain) for pair in pairs):
        return ""
    with_draft, without = _mean_lengths([pair.drafting.replies for pair in pairs]), _mean_lengths([pair.plain.replies for pair in pairs])
    apart = with_draft.sum() / without.sum() - 1
    longer = f"texts are {abs(apart):.0%} {'longer' if apart > 0 else 'shorter'} with a draft than without"
    differing = int(np.count_nonzero(with_draft != without))
    if differing < TESTABLE:
        if abs(apart) <= LENGTHS_APART:
            return ""
        return f"{longer}, and those on {differing} prompts are too few to tell whether that is chance: it takes {TESTABLE}"
    chance = lengths_p_value(with_draft, without)
    return "" if chance >= ALPHA else f"the lengths of texts follow another law with a draft than without (p = {chance:.2g}): {longer}"


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
    return (
        "" if noise <= limit else f"the machine was too noisy: the time of equal work varied by {noise:.0%}, and {limit:.0%} is the limit"
    )
