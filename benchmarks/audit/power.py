"""How many tokens it takes to find faults: `python benchmarks/audit/power.py [leaks] [zoo] [--json FILE]`.

Leaks of the draft on synthetic rows of a large vocabulary, and every fault of the zoo, run for real and judged by its tokens. A fault of
the zoo is judged twice: by those who know all faults of the zoo, and by those who suspect only what can be suspected of any engine. The
promise is ln(1 / alpha) over the growth a token if the fault alone was suspected. Fails if a leak or a fault takes too long, or a control
is refuted.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from draftproof.audit.judgement import AT_ONCE
from draftproof.audit.law.betting import Capital, log_mean
from draftproof.audit.law.evidence import LawEvidence
from draftproof.audit.law.known import expected_text_law, judged, known, text_law
from draftproof.audit.law.rows import Rows, Text
from draftproof.audit.law.scoring import EFFECTS, Scores, growth, likelier
from draftproof.audit.law.suspects import Suspect, suspects
from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.decoders.standard import family
from draftproof.proof.executor import each
from draftproof.proof.zoo.member import Member, controls, faults

ALPHA = 1e-3

# ---------------------------------------------------------------- one search


class Hunt(NamedTuple):
    """How a search for a fault ended.

    Attributes:
        tokens: when the target's law was refuted; None if it was not.
        first: the likeliest suspect at the end.
    """

    tokens: int | None
    first: Suspect


def hunt(evidence: LawEvidence, more: Callable[[], tuple[Sequence[Text], Sequence[Rows]]], alpha: float, most: int) -> Hunt:
    """Judge texts until the target's law is refuted, or so many tokens were judged. The evidence is looked at after every text.

    The fault is named as an audit does it: not before `AT_ONCE` texts, nor before its suspect is told apart.
    """
    looked, texts, refuted = 0, 0, None
    while evidence.tokens < most if refuted is None else texts < AT_ONCE or not evidence.named(refuted):
        given = more()
        texts += len(given[0])
        evidence.add(*given)
        fresh = evidence.growth(looked)
        if refuted is None:
            refuted = next((tokens for tokens, log_e in fresh if log_e >= np.log(1 / alpha)), None)
        looked += len(fresh)
    return Hunt(refuted, _first(evidence))


def _first(evidence: LawEvidence) -> Suspect:
    named = zip(evidence.suspects, evidence.capitals, strict=False)
    return max(named, key=lambda pair: pair[1].log_e)[0]


def median(hunts: Sequence[Hunt]) -> float | None:
    """Of the tokens to refute; None if half of the searches or more did not end."""
    found = float(np.median([np.inf if hunt.tokens is None else hunt.tokens for hunt in hunts]))
    return found if np.isfinite(found) else None


# ---------------------------------------------------------------- leaks

VOCAB, PLACES, BLOCKS, LENGTH = 4000, 64, 8, 8
ROWS = {"TV .29": (2.0, 0.75, "normal"), "TV .33, peaked": (3.0, 0.62, "laplace"), "TV .54": (2.0, 1.5, "normal")}
"""Rows p = softmax(a z) and q = softmax(a z + b w), with z normal: a, b, and how w is distributed."""

SHARES = {0.2: 20_000, 0.05: 40_000, 0.02: 150_000, 0.01: 300_000}
"""Of a leak, and the most tokens that are judged."""

LEAK_ALPHA, LEAK_RUNS = 0.01, 12
PROMISED = {0.05: 6_000, 0.01: 100_000}
"""Tokens within which a leak must be found, on at least one kind of rows."""


class Block(NamedTuple):
    """Some rows, each used again and again, with what every suspect makes of every token."""

    target: np.ndarray
    draft: np.ndarray
    ratios: list[np.ndarray]
    largest: list[np.ndarray]


def leak(rows: str) -> list[dict[str, Any]]:
    """Searches for leaks of every size on one kind of rows."""
    scale, apart, kind = ROWS[rows]
    generator = np.random.default_rng(0)
    blocks = []
    for _ in range(BLOCKS):
        shared = scale * generator.standard_normal((PLACES, VOCAB))
        target, draft = _softmax(shared), _softmax(shared + apart * getattr(generator, kind)(size=shared.shape))
        laws = Rows(np.zeros(PLACES, np.int64), target, draft)
        ratios = [likelier(suspect.law(laws), target) for suspect in suspects(draft=True)]
        blocks.append(Block(target, draft, ratios, [each.max(-1) for each in ratios]))
    chi2 = float(np.mean([((block.draft**2 / block.target).sum(-1) - 1).mean() for block in blocks]))
    apart_by = float(np.mean([abs(block.draft - block.target).sum(-1).mean() / 2 for block in blocks]))
    known_of = {"rows": rows, "chi2": chi2, "distance": apart_by}
    return [known_of | leaked(blocks, share, most, run) for share, most in SHARES.items() for run in range(LEAK_RUNS)]


def leaked(blocks: Sequence[Block], share: float, most: int, run: int) -> dict[str, Any]:
    """One search: tokens until the draft suspected alone refutes, and until all suspects together do."""
    generator, capitals = np.random.default_rng([run, int(1000 * share)]), [Capital() for _ in suspects(draft=True)]
    promised = float(
        np.log(1 / LEAK_ALPHA) / np.mean([growth(block.draft, block.target)[:, EFFECTS.index(share)].mean() for block in blocks])
    )
    mixed = [((1 - share) * block.target + share * block.draft).cumsum(-1) for block in blocks]
    alone, looked = None, 0
    while capitals[0].tokens < most:
        number = int(generator.integers(len(blocks)))
        tokens = (mixed[number] < generator.random((PLACES, 1))).sum(-1).clip(max=VOCAB - 1)
        for capital, ratios, largest in zip(capitals, blocks[number].ratios, blocks[number].largest, strict=True):
            capital.add(Scores(ratios[np.arange(PLACES), tokens], largest), [LENGTH] * (PLACES // LENGTH))
        for place in range(looked, len(capitals[0].growth)):
            seen, own = capitals[0].growth[place]
            if alone is None and own >= np.log(1 / LEAK_ALPHA):
                alone = seen
            # What is learned of repeated texts neither wins nor loses where no text comes twice.
            if log_mean([*(capital.growth[place][1] for capital in capitals), 0.0]) >= np.log(1 / LEAK_ALPHA):
                first = max(range(len(capitals)), key=lambda number: capitals[number].growth[place][1])
                return {"share": share, "promised": promised, "alone": alone, "all": seen, "first": suspects(draft=True)[first].name}
        looked = len(capitals[0].growth)
    return {"share": share, "promised": promised, "alone": alone, "all": None, "first": ""}


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


# ---------------------------------------------------------------- the zoo

RUNS, GENERIC_RUNS = 20, 5
MOST, CONTROL_TOKENS = 100_000, 4_000
SLOWEST, SUREST = 2.0, 0.8
"""What a fault may take, in promises, and how often its mechanism must be ranked first."""

NOT_STATISTICAL = "its tokens follow the target's law on every standard fixture of its family"


def fixture_of(member: Member) -> Fixture | None:
    """The fixture of its family on which the texts of a fault are furthest from their law; None if they follow it on all."""
    best = max(family(member.fixtures), key=lambda fixture: distance(member, fixture))
    return best if distance(member, best) else None


def distance(member: Member, fixture: Fixture) -> float:
    law, right = text_law(fixture, member), expected_text_law(fixture)
    return 0.0 if law is None else float(sum(abs(law.get(text, 0) - right.get(text, 0)) for text in law.keys() | right.keys()) / 2)


def promise(member: Member, fixture: Fixture, alpha: float) -> float:
    """Tokens to refute if the fault alone was suspected, and whole. Of a text that the target never emits one is enough."""
    law, right = text_law(fixture, member), expected_text_law(fixture)
    assert law is not None
    enough = np.log(1 / alpha)
    terms = [
        float(weight) * (min(enough, np.log(float(weight / right[text]))) if text in right else enough) for text, weight in law.items()
    ]
    return enough / sum(terms) * sum(float(weight) * len(text) for text, weight in law.items())


def texts_of(member: Member, fixture: Fixture, seed: int, at_once: int) -> Callable[[], tuple[list[Text], list[Rows]]]:
    """What the decoder of a member returns, call by call, with the laws along it."""
    generator = random.Random(seed)
    cached: dict[Any, tuple[Text, Rows]] = {}

    def more() -> tuple[list[Text], list[Rows]]:
        random.seed(generator.random())
        found = []
        for _ in range(at_once):
            returned = member.decoder(fixture)
            if returned not in cached:
                cached[returned] = judged(fixture, returned)
            found.append(cached[returned])
        return [text for text, _ in found], [rows for _, rows in found]

    return more


def fault(name: str, runs: int = RUNS, generic_runs: int = GENERIC_RUNS) -> dict[str, Any]:
    """How a planted fault is found: by those who know it among all others, and by those who know none."""
    member = next(one for one in faults() if one.name == name)
    fixture = fixture_of(member)
    found: dict[str, Any] = {"member": name, "mechanism": member.mechanism, "family": member.fixtures}
    if fixture is None:
        return found | {"reason": NOT_STATISTICAL}
    suspected, promised = known(fixture), promise(member, fixture, ALPHA)
    at_once = max(10, int(promised / fixture.length / 4))
    hunts = [hunt(LawEvidence(suspected), texts_of(member, fixture, run, at_once), ALPHA, MOST) for run in range(runs)]
    generic = [hunt(LawEvidence(suspects(draft=True)), texts_of(member, fixture, run, at_once), ALPHA, MOST) for run in range(generic_runs)]
    took = median(hunts)
    return found | {
        "fixture": fixture.name,
        "distance": distance(member, fixture),
        "suspects": len(suspected),
        "promised": promised,
        "tokens": took,
        "ratio": None if took is None else took / promised,
        "named": np.mean([member.mechanism in one.first.mechanism.split(", ") for one in hunts]),
        "alike": np.mean([name in one.first.name.split(", ") for one in hunts]),
        "generic": median(generic),
        "generic first": generic[0].first.name,
    }


def control(name: str) -> dict[str, Any]:
    """Whether a control is acquitted by both."""
    member = next(one for one in controls() if one.name == name)
    fixture = family(member.fixtures)[-1]
    both = [known(fixture), suspects(draft=True)]
    hunts = [hunt(LawEvidence(some), texts_of(member, fixture, 0, 100), ALPHA, CONTROL_TOKENS) for some in both]
    return {"member": name, "fixture": fixture.name, "acquitted": all(one.tokens is None for one in hunts)}


# ---------------------------------------------------------------- all of it


def work(item: tuple[str, str]) -> tuple[str, list[dict[str, Any]]]:
    kind, what = item
    return kind, leak(what) if kind == "leaks" else [fault(what) if kind == "zoo" else control(what)]


def items(wanted: Sequence[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if "zoo" in wanted:
        ordered = sorted(faults(), key=lambda member: member.fixtures)
        found += [*(("zoo", member.name) for member in ordered), *(("controls", member.name) for member in controls())]
    if "leaks" in wanted:
        found += [("leaks", rows) for rows in ROWS]
    return found


def leak_lines(found: Sequence[dict[str, Any]]) -> list[str]:
    lines = [f"{'rows':16}{'TV':>7}{'chi2':>7}{'share':>7}{'promised':>10}{'draft alone':>13}{'all suspects':>14}{'ranked first':>14}"]
    for rows, share in product(ROWS, SHARES):
        some = [one for one in found if (one["rows"], one["share"]) == (rows, share)]
        took = "".join(f"{_cell(leak_median(some, name)):>{wide}}" for name, wide in (("alone", 13), ("all", 14)))
        right = np.mean([one["first"] == "draft leakage" for one in some if one["all"]])
        lines.append(
            f"{rows:16}{some[0]['distance']:7.2f}{some[0]['chi2']:7.2f}{share:7.0%}{some[0]['promised']:10,.0f}{took}{right:14.0%}"
        )
    return lines


def leak_median(found: Sequence[dict[str, Any]], name: str) -> float | None:
    value = float(np.median([one[name] or np.inf for one in found]))
    return value if np.isfinite(value) else None


def _cell(value: float | None) -> str:
    return "not found" if value is None else f"{value:,.0f}"


def zoo_lines(found: Sequence[dict[str, Any]]) -> list[str]:
    titles = (
        f"{'fault':36}{'':5}{'fixture':>22}{'TV':>7}{'suspects':>10}{'promised':>10}{'tokens':>9}{'ratio':>7}{'named':>7}{'very one':>10}"
    )
    lines = [f"{titles}{'generic':>11}  generic, first"]
    for one in sorted(found, key=lambda one: (int(one["mechanism"][1:]), one["member"])):
        head = f"{one['member']:36}{one['mechanism']:5}"
        if "reason" in one:
            lines.append(f"{head}{one['reason']}")
            continue
        ratio = "-" if one["ratio"] is None else f"{one['ratio']:.2f}"
        lines.append(
            f"{head}{one['fixture']:>22}{one['distance']:7.3f}{one['suspects']:10}{one['promised']:10.0f}{_cell(one['tokens']):>9}{ratio:>7}"
            f"{one['named']:7.0%}{one['alike']:10.0%}{_cell(one['generic']):>11}  {one['generic first']}"
        )
    return lines


def failures(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    slow = [
        one for one in found["zoo"] if "reason" not in one and (one["ratio"] is None or one["ratio"] > SLOWEST or one["named"] < SUREST)
    ]
    told = [f"{one['member']}: ratio {one['ratio']}, named in {one['named']:.0%}" for one in slow]
    told += [f"{one['member']}: refuted" for one in found["controls"] if not one["acquitted"]]
    for share, most in PROMISED.items() if found["leaks"] else ():
        medians = [leak_median([one for one in found["leaks"] if (one["rows"], one["share"]) == (rows, share)], "all") for rows in ROWS]
        if all(value is None or value > most for value in medians):
            told.append(f"a leak of {share:g} took {medians} tokens, more than {most:,} on all rows")
    return told


def main(wanted: Sequence[str], workers: int, path: Path | None) -> int:
    began = monotonic()
    found: dict[str, list[dict[str, Any]]] = {"leaks": [], "zoo": [], "controls": []}
    for done, (kind, result) in enumerate(each(work, items(wanted), workers=workers, prepare=_gently), start=1):
        found[kind] += result
        print(f"{done} {kind}: {result[-1]} {monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    for line in [*(leak_lines(found["leaks"]) if found["leaks"] else ()), *(zoo_lines(found["zoo"]) if found["zoo"] else ())]:
        print(line)
    if found["controls"]:
        print(f"controls acquitted: {sum(one['acquitted'] for one in found['controls'])} of {len(found['controls'])}")
    print(f"{monotonic() - began:.0f} s by {workers} processes")
    if path:
        path.write_text(json.dumps(found, default=float))
    told = failures(found)
    for line in told:
        print(f"falls short: {line}")
    return int(bool(told))


def _gently() -> None:
    os.nice(5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wanted", nargs="*", choices=["leaks", "zoo"], default=["leaks", "zoo"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    sys.exit(main(chosen.wanted, chosen.workers, chosen.json))
