"""Exact toy language models: a table of laws, one for every pair of last tokens.

Small enough to prove a whole decode over, and built so that no fault hides. The law depends on the last two tokens,
since a table that ignores its context hides most faults of a loop; and the two tokens are read back *from the cache*,
so that a stale, short or reordered cache changes the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np

from draftproof.carriers import check_laws
from draftproof.errors import BadLaw
from draftproof.models.protocol import Block
from draftproof.shapes import Array, Shaped


@dataclass
class TableCache:
    """The tokens themselves, in the order they were fed."""

    tokens: list[int]

    @property
    def length(self) -> int:
        return len(self.tokens)

    def truncate(self, length: int) -> None:
        del self.tokens[length:]

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        self.tokens[start:] = [self.tokens[start + offset] for offset in offsets]


@dataclass(frozen=True, eq=False)
class TableModel:
    """`table[a, b]` (vocab,) is the law of the token after ..., a, b. Before the first token stand tokens 0.

    Attributes:
        table: (vocab, vocab, vocab) of fractions or floats, or a torch tensor.

    Raises:
        BadLaw: a table of another shape, or a row that is not a law.
    """

    table: Shaped[Array, "vocab vocab vocab"]

    def __post_init__(self) -> None:
        if len(set(self.table.shape)) != 1 or len(self.table.shape) != 3:
            raise BadLaw(f"a table has shape (vocab, vocab, vocab), this one has {tuple(self.table.shape)}")
        check_laws(self.table, "table")

    @property
    def vocab(self) -> int:
        return int(self.table.shape[-1])

    def start(self) -> TableCache:
        return TableCache([])

    def extend(self, caches: Sequence[TableCache], blocks: Sequence[Block]) -> list[Shaped[Array, "position vocab"]]:
        """The laws after each row's own path, read back from the cache."""
        return [self._extend(cache, block) for cache, block in zip(caches, blocks, strict=True)]

    def _extend(self, cache: TableCache, block: Block) -> Shaped[Array, "position vocab"]:
        cache.tokens += block.tokens
        base = len(cache.tokens) - 1
        cache.tokens += block.drafted
        entry = [base, *range(base + 1, base + 1 + len(block.drafted))]
        before = [base - 1, *(entry[parent] for parent in block.parents)]
        seen = [0, *cache.tokens]  # entry -1 is the token 0 before the text
        return self.table[[seen[b + 1] for b in before], [seen[e + 1] for e in entry]]

    def law(self, context: Sequence[int]) -> Shaped[Array, " vocab"]:
        """The law after `context`, without any cache: what a decode must reproduce."""
        return self.table[tuple([0, 0, *context][-2:])]


KINDS = ("generic", "zeros", "ties", "one_hot", "disjoint", "equal")
"""How rows of a random pair of tables relate; every kind is an edge that a rule must get right."""


def random_row(random: Random, vocab: int, kind: str) -> list[Fraction]:
    """A law of small denominators: all positive (`generic`), with zeros, with ties, or a point mass."""
    if kind == "one_hot":
        hot = random.randrange(vocab)
        return [Fraction(int(token == hot)) for token in range(vocab)]
    lowest, highest = {"zeros": (0, 3), "ties": (1, 2)}.get(kind, (1, 9))
    weights = [random.randint(lowest, highest) for _ in range(vocab)]
    if not any(weights):
        weights[random.randrange(vocab)] = 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def random_pair(random: Random, vocab: int) -> tuple[TableModel, TableModel]:
    """A target and a draft, exact, whose rows meet in every way of `KINDS`."""
    pairs = [_random_rows(random, vocab) for _ in range(vocab * vocab)]
    target, draft = (np.array([pair[side] for pair in pairs], dtype=object).reshape(vocab, vocab, vocab) for side in (0, 1))
    return TableModel(target), TableModel(draft)


def _random_rows(random: Random, vocab: int) -> tuple[list[Fraction], list[Fraction]]:
    kind = random.choice(KINDS)
    if kind == "equal":
        row = random_row(random, vocab, random.choice(KINDS[:4]))
        return row, row
    if kind == "disjoint" and vocab > 1:
        cut = random.randint(1, vocab - 1)
        sides = [
            random_row(random, cut, "generic") + [Fraction(0)] * (vocab - cut),
            [Fraction(0)] * cut + random_row(random, vocab - cut, "generic"),
        ]
        random.shuffle(sides)
        return sides[0], sides[1]
    return random_row(random, vocab, kind), random_row(random, vocab, random.choice(KINDS[:4]))
