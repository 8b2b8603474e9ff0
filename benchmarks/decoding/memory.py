"""Memory over a long decode: `python benchmarks/decoding/memory.py [tokens]`."""

import gc
import sys
from pathlib import Path

from prompts import random_prompts

from draftproof.engine import Engine
from draftproof.models.weights import load


def resident_mb() -> float:
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def main(tokens: int = 10_000) -> None:
    before = resident_mb()
    target = load("smollm2")
    engine = Engine(target)
    print(f"resident {before:.0f} MB before the model, {resident_mb():.0f} MB with it")
    emitted = 0
    for turn in range(1_000):
        done = engine.generate(random_prompts(8, seed=turn), {"temperature": 0.8}, seed=turn, max_tokens=160, ignore_end=True)
        emitted += sum(len(each.tokens) for each in done)
        print(f"resident {resident_mb():.0f} MB after {emitted} tokens, pool of {target.model._pool._count} blocks", flush=True)
        if emitted >= tokens:
            return


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
