"""Audits of exact engines, to see how often they raise a false alarm: `python benchmarks/audit/calibration.py [AUDITS] [--json FILE]`.

Our own decoder with every exact rule writes from table models, and `judge` audits it as it audits any engine, early stopping included.
The evidence is looked at after every text, so an alarm is one at any of these times, not only where `judge` looked. Then tokens are drawn
from the target with a leak of the draft, to see how often the interval holds the leak. Fails if the bound on false alarms is too high.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from draftproof.audit.engines.own import Own
from draftproof.audit.judgement import Condition, judge
from draftproof.audit.law.betting import Capital
from draftproof.audit.law.plan import Goal, plan
from draftproof.audit.law.rows import Reference, Rows
from draftproof.audit.law.scoring import scores
from draftproof.audit.law.suspects import suspects
from draftproof.catalogue import CATALOGUE, Entry, target_law
from draftproof.decode import Decoder
from draftproof.drafters.function import FunctionDrafter
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.protocol import Drafter
from draftproof.models.table import TableModel
from draftproof.proof.campaign import trees
from draftproof.proof.executor import each
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim
from draftproof.tree import Tree

VOCAB = 8
WIDTH = 2
LIKENESS = 0.6
"""The part of a draft's law that is the target's: a draft that is refused everywhere takes twice as many rounds a token."""

ALPHA, EFFECT, LENGTH = 1e-3, 0.2, 4
TOKENS = (256, 256, 512, 256)
"""The most of an audit, in turn: one or two looks."""

TOGETHER = 25
"""Audits of one pair of tables, which share a plan."""

LEVELS = (1e-3, 1e-2, 5e-2)
MISSES = (0.05, 0.01)
LEAKS = (0.0, 0.02, 0.1, 0.5)
MOST_ALARMS = 1.5e-3
"""What the upper end of the 99 % interval of the rate of false alarms at 1e-3 must not exceed."""


class Case(NamedTuple):
    """One rule with one way to draft."""

    rule: str
    drafts: str
    tree: Tree | None


class Outcome(NamedTuple):
    """What became of one audit.

    Attributes:
        highest: of the logarithm of the e-value, after any text.
        missed: of `MISSES`, the suspects whose interval at the end does not hold 0.
    """

    rule: str
    word: str
    tokens: int
    highest: float
    missed: tuple[int, ...]
    intervals: int
    drafted: int
    accepted: int
    seconds: float


def cases() -> list[Case]:
    """Every exact rule on every shape on which it is proved, and on a fixed draft if it needs no law of it."""
    exact = [entry for entry in CATALOGUE.values() if entry.exact and entry.law_of_rows is target_law]
    drawn = [Case(entry.name, f"tree {tree.parents}", tree) for entry in exact for tree in trees(entry, WIDTH)]
    return [*drawn, *(Case(entry.name, "fixed", None) for entry in exact if not entry.needs_draft_law)]


def audits(number: int, count: int) -> list[Outcome]:
    """Some audits of one case on one pair of random tables; in every other pair, tokens are forbidden."""
    every = cases()
    case, random = every[number % len(every)], np.random.default_rng(number)
    target, other = (table(random, zeros=bool(number // len(every) % 2)) for _ in range(2))
    draft = TableModel(LIKENESS * target + (1 - LIKENESS) * other)
    entry = CATALOGUE[case.rule]
    reference, suspected = Reference(TableModel(target), Verbatim(), draft), suspects(draft=True)
    decoder = Decoder(reference.target, drafter(entry, case, draft), entry.verification)
    goal = Goal(ALPHA, EFFECT, LENGTH, TOKENS[number // len(every) % len(TOKENS)])
    planned = plan(reference, suspected, [(token,) for token in range(VOCAB)], goal, seed=number)
    found = []
    for one in range(count):
        condition = Condition(case.rule, SamplingParams(), reference, suspected, planned, seed=(number * count + one) * 2**20)
        judgement = judge(Own(decoder, drafts=case.drafts, params=Verbatim(), together=64), condition)
        law, counters = judgement.law, judgement.counters
        missed = tuple(sum(not holds(capital, 0.0, miss) for capital in law.capitals) for miss in MISSES)
        highest = max(log_e for _, log_e in law.growth())
        assert counters.drafted is not None
        assert counters.accepted is not None
        counts = law.tokens, highest, missed, len(law.capitals), counters.drafted, counters.accepted, judgement.seconds
        found.append(Outcome(case.rule, judgement.word.value, *counts))
    return found


def table(random: np.random.Generator, *, zeros: bool) -> np.ndarray:
    weights = random.gamma(0.7, size=(VOCAB,) * 3)
    if zeros:
        weights *= random.random(weights.shape) < 0.8
        weights[..., 0] += weights.sum(-1) == 0
    return weights / weights.sum(-1, keepdims=True)


def drafter(entry: Entry, case: Case, draft: TableModel) -> Drafter:
    if case.tree is not None:
        return ModelDrafter(draft, case.tree)
    likeliest = draft.table.argmax(-1)

    def look_up(context: Sequence[int]) -> list[int]:
        seen = [0, *context]
        for _ in range(WIDTH):
            seen.append(int(likeliest[seen[-2], seen[-1]]))
        return seen[-WIDTH:]

    return FunctionDrafter(look_up, draft.vocab)


def holds(capital: Capital, share: float, miss: float) -> bool:
    """Whether the interval holds a share."""
    return not capital.too_large(share, miss) and not capital.too_small(share, miss)


def leaks(number: int, share: float, count: int) -> dict[str, Any]:
    """Of how many series of tokens with a leak the interval ever lost it, looked at sixteen times."""
    random, suspected = np.random.default_rng([number, 1]), suspects(draft=True)[:1]
    lost = [0] * len(MISSES)
    for _ in range(count):
        capital, ever = Capital(), [False] * len(MISSES)
        for _ in range(16):
            target, draft = (table(random, zeros=True).reshape(-1, VOCAB)[:64] for _ in range(2))
            emitted = (1 - share) * target + share * draft
            tokens = (emitted.cumsum(-1) < random.random((len(target), 1))).sum(-1).clip(max=VOCAB - 1)
            capital.add(scores(suspected, [Rows(tokens, target, draft)])[0], [len(tokens)])
            ever = [before or not holds(capital, share, miss) for before, miss in zip(ever, MISSES, strict=True)]
        lost = [total + one for total, one in zip(lost, ever, strict=True)]
    return {"share": share, "series": count, "lost": lost}


def work(item: tuple[str, int, Any, int]) -> Any:
    kind, number, share, count = item
    return audits(number, count) if kind == "audits" else leaks(number, share, count)


def upper(alarms: int, tries: int, confidence: float = 0.99) -> float:
    """The exact upper bound of a rate (Clopper and Pearson)."""
    return float(stats.beta.ppf(confidence, alarms + 1, tries - alarms)) if alarms < tries else 1.0


def lines(found: Sequence[Outcome], leaked: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield (
        f"{'rule':24}{'audits':>8}{'tokens':>9}{'PASS':>7}{'FAIL':>6}"
        + "".join(f"{f'e>1/{level:g}':>10}" for level in LEVELS)
        + ("".join(f"{f'{1 - miss:.0%} holds 0':>14}" for miss in MISSES) + f"{'accepted':>10}")
    )
    for rule in [*dict.fromkeys(one.rule for one in found), "all"]:
        some = [one for one in found if rule in (one.rule, "all")]
        intervals = sum(one.intervals for one in some)
        held = "".join(f"{1 - sum(one.missed[place] for one in some) / intervals:14.3%}" for place in range(len(MISSES)))
        words = "".join(f"{sum(one.word == word for one in some):{wide}}" for word, wide in (("PASS", 7), ("FAIL", 6)))
        kept = sum(one.accepted for one in some) / sum(one.drafted for one in some)
        mean = np.mean([one.tokens for one in some])
        yield f"{rule:24}{len(some):8}{mean:9.0f}{words}" + "".join(f"{alarms(some, level):10}" for level in LEVELS) + f"{held}{kept:10.1%}"
    for level in LEVELS:
        count = alarms(found, level)
        yield f"false alarms at {level:g}: {count} of {len(found)}, at most {upper(count, len(found)):.2e} at confidence 99 %"
    for share in LEAKS:
        some_leaks = [one for one in leaked if one["share"] == share]
        series = sum(one["series"] for one in some_leaks)
        held = ", ".join(
            f"{1 - sum(one['lost'][place] for one in some_leaks) / series:.2%} at nominal {1 - miss:.0%}"
            for place, miss in enumerate(MISSES)
        )
        yield f"a leak of {share:g} was in the interval at all of 16 looks in {held}, of {series} series"


def alarms(found: Sequence[Outcome], level: float) -> int:
    return sum(one.highest >= np.log(1 / level) for one in found)


def main(wanted: int, workers: int, path: Path | None) -> int:
    began, found, leaked = monotonic(), [], []
    chunks = -(-wanted // TOGETHER)
    items = [("audits", number, None, TOGETHER) for number in range(chunks)]
    items += [("leaks", number, LEAKS[number % len(LEAKS)], max(1, wanted // 40)) for number in range(10 * len(LEAKS))]
    for done, result in enumerate(each(work, items, workers=workers, prepare=partial(os.nice, 5)), start=1):
        if isinstance(result, dict):
            leaked.append(result)
        else:
            found += result
        if done % 20 == 0 or done == len(items):
            print(f"{len(found)} audits, {alarms(found, ALPHA)} alarms, {monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    for line in lines(found, leaked):
        print(line)
    tokens = sum(one.tokens for one in found)
    each_us = sum(one.seconds for one in found) / tokens * 1e6
    print(f"{tokens} tokens, {each_us:.0f} us each; {monotonic() - began:.0f} s by {workers} processes")
    if path:
        path.write_text(json.dumps({"audits": [one._asdict() for one in found], "leaks": leaked}))
    return int(upper(alarms(found, ALPHA), len(found)) > MOST_ALARMS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("audits", nargs="?", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    sys.exit(main(chosen.audits, chosen.workers, chosen.json))
