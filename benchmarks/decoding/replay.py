"""Drafters on recorded texts, in the measured time of a pass: `python benchmarks/decoding/replay.py [tokens]`.

A coupled text does not depend on what is drafted. So it is decoded once, and every drafter and width is then replayed on it: which
tokens it would have drafted, how many would have been kept, and what the passes would have cost.
"""

import sys
from collections.abc import Sequence

from prompts import shipped

from draftproof.drafters.best_of import BestOf
from draftproof.drafters.given import Given
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.protocol import Drafter, Request
from draftproof.drafters.suffix import Suffix
from draftproof.engine import Engine
from draftproof.models.cost import PassCost
from draftproof.models.weights import load

COST = PassCost(((2, 21.8), (4, 22.0), (8, 24.7), (12, 25.8), (16, 31.3)), least_rows=2)
"""Milliseconds on the machine of the first measurements."""


def replayed_ms(drafter: Drafter, prompt: Sequence[int], text: Sequence[int]) -> tuple[float, int]:
    """(milliseconds, rounds) that the text takes with this drafter."""
    memory, ms, rounds, emitted = drafter.start(), 0.0, 0, 0
    while emitted < len(text):
        request = Request((*prompt, *text[:emitted]), len(prompt), (), None, None, memory, len(text) - emitted)
        drafted = drafter.propose([request], lambda *draw: None).tokens[0].tolist()
        kept = 0
        while kept < len(drafted) and drafted[kept] == text[emitted + kept]:
            kept += 1
        ms += COST.ms([1 + len(drafted)])
        rounds += 1
        emitted += kept + 1
    return ms, rounds


def main(tokens: int = 48) -> None:
    target = load("smollm2")
    vocab = target.model.vocab
    drafters = {f"suffix {width}": GuessDrafter(Suffix(), vocab, width) for width in (1, 2, 3, 5, 7, 11, 15)}
    drafters |= {f"lookup {width}": GuessDrafter(Lookup(), vocab, width) for width in (1, 3, 7, 11, 15)}
    drafters["auto"] = BestOf([Lookup(), Suffix(), Given()], vocab, COST)
    for kind in ("copy", "open"):
        for temperature in (0.0, 0.8):
            seeds = range(len(shipped(kind)))
            done = Engine(target, drafter="none").generate(shipped(kind), {"temperature": temperature}, seed=seeds, max_tokens=tokens)
            plain = sum(COST.ms([1]) * len(each.tokens) for each in done)
            ratios = {
                name: plain / sum(replayed_ms(drafter, each.prompt, each.tokens)[0] for each in done) for name, drafter in drafters.items()
            }
            best = max(ratio for name, ratio in ratios.items() if name != "auto")
            print(f"{kind} {temperature}: auto is {ratios['auto'] / best:.3f} of the best fixed width;", end=" ")
            print(", ".join(f"{name} {ratio:.3f}" for name, ratio in ratios.items()), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
