"""Drafters on recorded texts, in the measured time of a pass: `python benchmarks/decoding/replay.py [tokens]`.

A coupled text does not depend on what is drafted. So it is decoded once, and every drafter and width is then replayed on it. The costs are
those below, so that the numbers are the same on every machine.
"""

import sys
from dataclasses import replace
from itertools import pairwise

from prompts import shipped

from draftproof.bench.costs import Costs
from draftproof.bench.options import options_of
from draftproof.bench.record import record
from draftproof.bench.ways import every_way
from draftproof.drafters.best_of import BestOf
from draftproof.engine import Engine
from draftproof.models.cost import PassCost
from draftproof.models.weights import load

STEPS = {4: 15.2, 8: 37.0, 16: 48.0, 24: 58.0, 32: 66.0, 48: 91.0, 64: 112.0}
"""Milliseconds of a pass that is filled up to so many rows, on two cores of an AMD EPYC."""

COST = PassCost(
    tuple(sorted({(2, STEPS[4]), *STEPS.items(), *((low + 1, STEPS[high]) for low, high in pairwise(STEPS))})),
    least_rows=2,
    steps=tuple(STEPS),
    change_ms=6.8,
    read_share=0.2,
)

BATCHES = (1, 2, 4, 8, 16)


def main(tokens: int = 48) -> None:
    target = load("smollm2")
    ways = every_way(target)
    ways = [way._replace(drafter=replace(way.drafter, cost=COST)) if isinstance(way.drafter, BestOf) else way for way in ways]
    engine = Engine(target, drafter="none")
    for kind in ("copy", "open"):
        prompts = [target.read(text) for text in shipped(kind)]
        for temperature in (0.0, 0.8):
            recording = record(engine, prompts, temperature=temperature, max_tokens=tokens)
            for batch in BATCHES:
                options, _ = options_of(ways, recording, Costs(COST), batch, clock=lambda: 0.0)
                gains = {option.name: option.decoding for option in options}
                fixed, name = max((gain, name) for name, gain in gains.items() if not name.endswith(" auto"))
                print(f"{kind}, temperature {temperature}, batch {batch}: best_of auto {gains['best_of auto']:.3f},", end=" ")
                print(f"the best fixed width {fixed:.3f} ({name})", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
