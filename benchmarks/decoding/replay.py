"""Drafters on recorded texts, in the measured time of a pass: `python benchmarks/decoding/replay.py [tokens]`.

A coupled text does not depend on what is drafted. So it is decoded once, and every drafter and width is then replayed on it. The costs are
those below, so that the numbers are the same on every machine.
"""

import sys
from dataclasses import replace

from prompts import shipped

from draftproof.bench.costs import Costs
from draftproof.bench.options import options_of
from draftproof.bench.record import record
from draftproof.bench.ways import every_way
from draftproof.drafters.best_of import BestOf
from draftproof.engine import Engine
from draftproof.models.cost import PassCost
from draftproof.models.weights import load

COST = PassCost(((2, 21.8), (4, 22.0), (8, 24.7), (12, 25.8), (16, 31.3)), least_rows=2)
"""Milliseconds on the machine of the first measurements."""


def main(tokens: int = 48) -> None:
    target = load("smollm2")
    ways = every_way(target)
    ways = [way._replace(drafter=replace(way.drafter, cost=COST)) if isinstance(way.drafter, BestOf) else way for way in ways]
    engine = Engine(target, drafter="none")
    for kind in ("copy", "open"):
        prompts = [target.read(text) for text in shipped(kind)]
        for temperature in (0.0, 0.8):
            recording = record(engine, prompts, temperature=temperature, max_tokens=tokens)
            options, _ = options_of(ways, recording, Costs(COST), 1, clock=lambda: 0.0)
            gains = {option.name: option.decoding for option in options}
            fixed = max(option.decoding for option in options if option.width != "auto")
            print(f"{kind} {temperature}: best_of auto is {gains['best_of auto'] / fixed:.3f} of the best fixed width;", end=" ")
            print(", ".join(f"{name} {gain:.3f}" for name, gain in gains.items()), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
