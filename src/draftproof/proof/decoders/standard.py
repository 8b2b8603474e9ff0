"""The standard fixtures, in families. Together they leave no fault of the zoo unseen; `power` prints which sees which.

What a family must have follows from what hides: a residual of one token hides four wrong fallbacks, a table without
context eight of twelve faults of a loop, a first token nine of them, an end that is never met every fault of an end.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

from draftproof.errors import BadRequest
from draftproof.proof.decoders.fixture import Fixture, Row, Table, normalised
from draftproof.proof.fixtures import ROWS, generic_pair, row

DEGENERATE: dict[str, tuple[Row, Row]] = {
    "equal": (row(50, 30, 20), row(50, 30, 20)),
    "equal point masses": (row(0, 100, 0), row(0, 100, 0)),
    "draft with a zero": (row(50, 30, 20), row(0, 60, 40)),
    "target with a zero": (row(0, 70, 30), row(40, 30, 30)),
    "tie": (row(40, 40, 20), row(20, 30, 50)),
    "16 bits": (row(50, 30, 20), (Fraction(32769, 65536), Fraction(19660, 65536), Fraction(13107, 65536))),
}
"""Pairs of rows at which a rule divides by zero, keeps everything, or must choose between equals."""


def penalised(weights: Row, emitted: Sequence[int]) -> Row:
    """A penalty of 1 / (1 + count): what was emitted before becomes less likely."""
    return normalised([weight / (1 + emitted.count(token)) for token, weight in enumerate(weights)])


def cut(weights: Row, emitted: Sequence[int]) -> Row:
    """A filter: the least likely token is never sampled."""
    least = min(range(len(weights)), key=weights.__getitem__)
    return normalised([weight * (token != least) for token, weight in enumerate(weights)])


def sharpened(weights: Row, emitted: Sequence[int]) -> Row:
    """A temperature of 1/2."""
    return normalised([weight * weight for weight in weights])


def grammar(weights: Row, emitted: Sequence[int]) -> Row:
    """A mask: 0 opens a bracket if none is open, 1 closes it, any other token may stand anywhere."""
    opened = emitted.count(0) - emitted.count(1)
    allowed = {0: opened < 1, 1: opened > 0}
    return normalised([weight * allowed.get(token, True) for token, weight in enumerate(weights)])


def _position(width: int = 1) -> list[Fixture]:
    """Pairs of rows after every text, and one of tables, since to a constant table a row too far is the right one."""
    pairs = ROWS | DEGENERATE
    constant = [Fixture(name, Table.constant(p), Table.constant(q), length=1, widths=(width,)) for name, (p, q) in pairs.items()]
    return [*constant, *_tables(1, length=1, widths=(width,))]


def _tables(count: int, *, vocab: int = 3, name: str = "tables {n}", **request: object) -> list[Fixture]:
    random = Random(7)
    pairs = [generic_pair(random, vocab) for _ in range(count)]
    return [Fixture(name.format(n=n), Table.of(target), Table.of(draft), **request) for n, (target, draft) in enumerate(pairs, 1)]  # type: ignore[arg-type]


def _loop() -> list[Fixture]:
    """One text of two whole rounds, and two shorter ones, which cost a tenth."""
    first, *others = _tables(3)
    return [first, *(replace(fixture, length=3) for fixture in others)]


def _ends() -> list[Fixture]:
    """Every token as the end of the text, and every length up to twice the width."""
    (first,) = _tables(1, vocab=2)
    ends = product(range(2), range(1, 5))
    return [replace(first, name=f"end {end}, length {length}", ends=frozenset({end}), length=length) for end, length in ends]


FAMILIES: dict[str, Callable[[], list[Fixture]]] = {
    "position": _position,
    "siblings": lambda: _position(width=2),
    "single": lambda: _tables(1, name="tables {n}, one drafted", widths=(1,), length=2),
    "loop": _loop,
    "schedule": lambda: [*_tables(1, widths=(0, 2, 1)), *_tables(1, name="tables {n}, every second round empty", widths=(2, 0))],
    "penalty": lambda: _tables(2, process=penalised, length=3),
    "filter": lambda: _tables(2, process=cut),
    "temperature": lambda: _tables(1, process=sharpened, length=3),
    "grammar": lambda: _tables(2, process=grammar),
    "ends": _ends,
    "probabilities": lambda: [
        *_tables(1, probabilities=True, length=3),
        *_tables(1, name="tables {n}, temperature 1/2", probabilities=True, length=3, process=sharpened),
    ],
    "batch": lambda: _tables(1, vocab=2, beside=((1, 0),), length=3),
    "prefix": lambda: _tables(1, vocab=2, beside=((0, 0),), length=3),
}
"""What each is for: one position of a chain or of siblings; two rounds of a single drafted token; the loop; drafts of
changing width; sampling rules that look back, filter, sharpen and mask; ends; reported probabilities; two requests in one
batch, and two with one prompt."""


@cache
def family(name: str) -> tuple[Fixture, ...]:
    """The fixtures of a family.

    Raises:
        BadRequest: there is no such family.
    """
    if name not in FAMILIES:
        raise BadRequest(f"no fixtures are called {name!r}; there are {', '.join(FAMILIES)}")
    return tuple(FAMILIES[name]())
