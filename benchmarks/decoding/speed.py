"""The controller against fixed widths and against no draft: `python benchmarks/decoding/speed.py [tokens] [repeats] [out.json]`.

All ways decode every prompt with the same seed, in turn, prompt by prompt, so that what disturbs the machine disturbs them
alike. Coupled, so all emit the same text, which is checked.
"""

import json
import sys
import time
from collections import defaultdict
from statistics import median

from prompts import shipped

from draftproof.drafters.best_of import BestOf
from draftproof.drafters.given import Given
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.suffix import Suffix
from draftproof.engine import Engine
from draftproof.models.cost import measure
from draftproof.models.weights import load

WIDTHS = (1, 2, 3, 5, 7, 11, 15)


def main(tokens: int = 48, repeats: int = 3, out: str = "") -> None:
    target = load("smollm2")
    vocab, cost = target.model.vocab, measure(target.model)
    print("pass, ms by rows:", {rows: round(ms, 1) for rows, ms in cost.measured})
    engines = {"none": Engine(target, drafter="none")}
    engines |= {f"suffix {width}": Engine(target, drafter=GuessDrafter(Suffix(), vocab, width)) for width in WIDTHS}
    engines |= {f"lookup {width}": Engine(target, drafter=GuessDrafter(Lookup(), vocab, width)) for width in (3, 7)}
    engines["auto"] = Engine(target, drafter=BestOf([Lookup(), Suffix(), Given()], vocab, cost))
    results = {}
    for kind in ("copy", "open"):
        for temperature in (0.0, 0.8):
            results[f"{kind} {temperature}"] = compare(engines, shipped(kind), temperature, tokens, repeats)
            report(f"{kind}, temperature {temperature}", results[f"{kind} {temperature}"])
    if out:
        with open(out, "w") as file:
            json.dump({"cost": cost.measured, "tokens": tokens, "results": results}, file)


def compare(engines: dict[str, Engine], prompts: list[str], temperature: float, tokens: int, repeats: int) -> dict[str, dict]:
    seconds: dict[str, list[float]] = {name: [0.0] * repeats for name in engines}
    seen: dict[str, dict] = defaultdict(lambda: {"emitted": 0, "rounds": 0, "drafted": 0, "accepted": 0})
    for repeat in range(repeats):
        for place, prompt in enumerate(prompts):
            texts = []
            names = list(engines)
            turn = (place + repeat) % len(names)
            for name in names[turn:] + names[:turn]:
                began = time.perf_counter()
                done = engines[name].generate(prompt, {"temperature": temperature}, seed=place, max_tokens=tokens)[0]
                seconds[name][repeat] += time.perf_counter() - began
                texts.append(done.tokens)
                for key, value in (
                    ("emitted", len(done.tokens)),
                    ("rounds", len(done.steps)),
                    ("drafted", done.drafted),
                    ("accepted", done.accepted),
                ):
                    seen[name][key] += value
            assert all(text == texts[0] for text in texts), f"{prompt!r} came out in two ways"
    return {name: {"seconds": seconds[name], **seen[name]} for name in engines}


def report(title: str, results: dict[str, dict]) -> None:
    print(f"\n{title}")
    plain = results["none"]["seconds"]
    for name, found in results.items():
        ratios = [one / two for one, two in zip(plain, found["seconds"], strict=True)]
        rate = found["emitted"] / sum(found["seconds"])
        print(
            f"  {name:10} {rate:6.1f} tokens/s, {median(ratios):.3f} of none ({min(ratios):.3f} to {max(ratios):.3f}), "
            f"{found['emitted'] / found['rounds']:.2f} a pass, {found['accepted']} of {found['drafted']} accepted",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
