"""The text of a seed with any drafter, width and batch: `python benchmarks/decoding/identity.py [prompts] [tokens] [batch ...]`."""

import sys
import time

from prompts import random_prompts

from drafters import Varied, random_drafter
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.suffix import Suffix
from draftproof.engine import Engine
from draftproof.models.weights import load


def main(count: int = 200, tokens: int = 64, *chosen: int | str) -> None:
    target = load("smollm2")
    vocab, prompts = target.model.vocab, random_prompts(count)
    drafters = {
        "none": "none",
        "lookup, widths 1 to 8": Varied(GuessDrafter(Lookup(), vocab, 8), 8),
        "suffix, widths 1 to 8": Varied(GuessDrafter(Suffix(), vocab, 8), 8),
        "random, widths 1 to 8": Varied(random_drafter(vocab, 8), 8),
        "best of all, chosen widths": "best_of",
    }
    batches = [word for word in chosen if isinstance(word, int)] or [4, 1]
    names = tuple(word for word in chosen if isinstance(word, str)) or tuple(drafters)
    expected = None
    for batch in batches:
        for name, drafter in drafters.items():
            if not name.startswith(names):
                continue
            began = time.perf_counter()
            done = Engine(target, drafter=drafter).generate(prompts, {"temperature": 0.8}, seed=0, max_tokens=tokens, batch=batch)
            texts = [each.tokens for each in done]
            expected = expected or texts
            equal = sum(one == two for one, two in zip(texts, expected, strict=False))
            drafted, accepted = sum(each.drafted for each in done), sum(each.accepted for each in done)
            print(
                f"batch {batch}, {name}: {equal} of {len(texts)} texts byte-identical, {sum(map(len, texts))} tokens, "
                f"{drafted} drafted, {accepted} accepted, {time.perf_counter() - began:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))
