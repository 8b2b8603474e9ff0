"""First tokens after a fixed prompt against the target's law: `python benchmarks/decoding/law.py [tokens] [rule ...]`.

The error rate is that of the chi-square test, and a planted fault, the wrong fallback, must fail it.
"""

import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import stats

from draftproof.carriers import pick_row
from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.draws import SeededDraws
from draftproof.models.protocol import Block
from draftproof.models.weights import load
from draftproof.rules.block import block
from draftproof.rules.rejection import rejection
from draftproof.sampling import SamplingParams
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.types import Draft, VerdictLaw
from draftproof.verify import Independent

ERROR_RATE, LEAST_EXPECTED, BATCH = 1e-3, 10, 16


class Forgetful:
    """A draft model that answers every context with one row: the target's after the prompt, flattened and disturbed."""

    def __init__(self, row: np.ndarray) -> None:
        self.row = 0.7 * row + np.random.default_rng(1).standard_normal(len(row)).astype(np.float32)
        self.vocab = len(row)

    def start(self) -> "Forgetful":
        return self

    length = 0

    def truncate(self, length: int) -> None:
        pass

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        pass

    def extend(self, caches: Sequence[object], blocks: Sequence[Block]) -> list[np.ndarray]:
        return [np.repeat(self.row[None], 1 + len(block.drafted), 0) for block in blocks]


def wrong_fallback(target_probs: np.ndarray, draft: Draft) -> VerdictLaw:
    return VerdictLaw(rejection(target_probs, draft).kept, lambda kept: pick_row(target_probs, kept))


def main(most: int = 20_000, *names: str) -> None:
    target = load("smollm2")
    prompt = target.tokenizer.encode("The colour of the old house is")
    row = target.model.extend([target.model.start()], [Block(prompt)])[0][0]
    law = SamplingParams().law(row.astype(np.float64), SamplingParams().start(prompt))
    law /= law.sum()
    rules = {"rejection": (rejection, most), "block": (block, most), "wrong fallback": (wrong_fallback, most // 10)}
    for name, (rule, count) in rules.items():
        if names and name not in names:
            continue
        decoder = Decoder(target.model, ModelDrafter(Forgetful(row), Tree.chain(2)), Independent(rule))
        seen: Counter[int] = Counter()
        kept = refused = 0
        for start in range(0, count, BATCH):
            seeds = range(start, min(start + BATCH, count))
            sessions = [decoder.open(prompt, params=SamplingParams(), limits=Limits(3), draws=SeededDraws(seed)) for seed in seeds]
            for step in decoder.step(sessions):
                seen[step.tokens[0]] += 1
                kept += step.accepted > 0
                refused += step.refused
        print(f"{name}, {count} tokens: {verdict(seen, law, count)}; {kept} first drafts kept, {refused} rounds with a refusal", flush=True)


def verdict(seen: Counter[int], law: np.ndarray, count: int) -> str:
    """Chi-square over the tokens expected often enough, and one bin for all others."""
    often = np.flatnonzero(law * count >= LEAST_EXPECTED)
    expected = [*(law[often] * count), count * (1 - law[often].sum())]
    observed = [*(seen[token] for token in often.tolist()), count - sum(seen[token] for token in often.tolist())]
    test = stats.chisquare(observed, expected)
    word = "PASS" if test.pvalue >= ERROR_RATE else "FAIL"
    return f"{word} at error rate {ERROR_RATE:g}: chi-square {test.statistic:.1f} in {len(often)} degrees of freedom, p = {test.pvalue:.3g}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
