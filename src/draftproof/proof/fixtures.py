"""Pairs of target and draft on which faults show.

The four named pairs are one-position rows. On F1 the residual has a single token, which hides four kinds of wrong
fallback completely; F2 to F4 have residuals of several. Laws that ignore their context hide most faults of a loop, so
`tables` makes pairs that depend on the last two tokens, of every kind that `models.table.KINDS` names.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np

from draftproof.models.table import TableModel, random_pair, random_row

Row = tuple[Fraction, ...]
Pair = tuple[TableModel, TableModel]
"""A target and a draft."""


def row(*hundredths: int) -> Row:
    """A law in hundredths."""
    return tuple(Fraction(value, 100) for value in hundredths)


ROWS: dict[str, tuple[Row, Row]] = {
    "F1": (row(50, 30, 20), row(10, 60, 30)),
    "F2": (row(50, 30, 20), row(20, 10, 70)),
    "F3": (row(40, 30, 20, 10), row(10, 20, 30, 40)),
    "F4": (row(40, 25, 15, 12, 8), row(10, 15, 5, 40, 30)),
}
"""Target and draft rows by name."""


def constant(law: Row) -> TableModel:
    """A model with one law after every context."""
    vocab = len(law)
    return TableModel(np.array([law] * (vocab * vocab), dtype=object).reshape(vocab, vocab, vocab))


def constant_pair(target: Row, draft: Row) -> Pair:
    """Two models with one law each."""
    return constant(target), constant(draft)


def generic_pair(random: Random, vocab: int) -> Pair:
    """Two models whose every row has every token, so that every path of a decode is open."""
    tables = [
        np.array([random_row(random, vocab, "generic") for _ in range(vocab * vocab)], dtype=object).reshape(vocab, vocab, vocab)
        for _ in range(2)
    ]
    return TableModel(tables[0]), TableModel(tables[1])


def pairs(count: int, vocab: int, *, seed: int) -> list[Pair]:
    """Random pairs of tables, the first of them generic, the others of every kind."""
    random = Random(seed)
    return [generic_pair(random, vocab) if index == 0 else random_pair(random, vocab) for index in range(count)]


def all_rows(vocab: int, largest_denominator: int) -> list[Row]:
    """Every law whose entries have a common denominator up to the largest, each once."""

    def split(total: int, parts: int) -> Iterator[tuple[int, ...]]:
        if parts == 1:
            yield (total,)
        else:
            yield from ((first, *rest) for first in range(total + 1) for rest in split(total - first, parts - 1))

    laws = {tuple(Fraction(n, whole) for n in parts) for whole in range(1, largest_denominator + 1) for parts in split(whole, vocab)}
    return sorted(laws)


def all_pairs(vocab: int, largest_denominator: int) -> list[Pair]:
    """Every pair of constant models whose laws have denominators up to the largest."""
    models = [constant(law) for law in all_rows(vocab, largest_denominator)]
    return list(product(models, models))
