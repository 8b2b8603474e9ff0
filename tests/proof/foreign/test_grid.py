"""Small random programs against an oracle that runs them on every cell of a grid.

Every number in a program is a multiple of 1/8 and is scaled by a power of 2, so all thresholds on a uniform number are
multiples of 1/16. Run at the middle of every cell of that grid, each as likely as any other, a program has its exact law.
"""

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

CELLS = 16
SIZE = 2

places = st.integers(0, SIZE - 1)
eighths = st.integers(-8, 16).map(lambda number: number / 8)
steps = st.one_of(
    st.tuples(st.just("shift"), places, eighths),
    st.tuples(st.just("flip"), places),
    st.tuples(st.just("copy"), places, places),
    st.tuples(st.just("reverse")),
    st.tuples(st.just("below"), places, eighths),
    st.tuples(st.just("at least, then skip"), places, eighths),
    st.tuples(st.just("count"), eighths),
    st.tuples(st.just("read at the count"), eighths),
    st.tuples(st.just("read at the coin"), eighths),
    st.tuples(st.just("same again"), places),
)


class Program(NamedTuple):
    """Factors of the numbers drawn, and what is done with them."""

    factors: tuple[float, ...]
    steps: tuple


programs = st.builds(
    Program, st.tuples(*[st.sampled_from([1.0, -1.0, 2.0, -2.0, 0.5])] * SIZE), st.lists(steps, min_size=1, max_size=6).map(tuple)
)


def perform(program, numbers, coin):
    """The same lines for lists, numpy arrays and tensors; returns what was decided."""
    for place, factor in enumerate(program.factors):
        numbers[place] = numbers[place] * factor
    seen, skip = [], False
    for step in program.steps:
        if skip:
            skip = False
            continue
        match step:
            case ("shift", place, amount):
                numbers[place] = numbers[place] + amount
            case ("flip", place):
                numbers[place] = 1 - numbers[place]
            case ("copy", place, other):
                numbers[place] = numbers[other]
            case ("reverse",):
                first, second = numbers[0] * 1, numbers[1] * 1
                numbers[0], numbers[1] = second, first
            case ("below", place, limit):
                seen.append(bool(numbers[place] < limit))
            case ("at least, then skip", place, limit):
                skip = bool(numbers[place] >= limit)
            case ("count", limit):
                seen.append(sum(bool(number < limit) for number in numbers))
            case ("read at the count", limit):
                place = sum(bool(number > limit) for number in numbers) % SIZE
                seen.append(bool(limit <= numbers[place]))
            case ("read at the coin", limit):
                seen.append(bool(numbers[coin % SIZE] < limit))
            case ("same again", place):
                seen.append(bool(numbers[place] < numbers[place] + 0.125))
    return tuple(seen)


def oracle(program):
    """The law from one run a cell."""
    middles = [(cell + 0.5) / CELLS for cell in range(CELLS)]
    runs = [perform(program, list(numbers), coin) for numbers in product(middles, repeat=SIZE) for coin in range(3)]
    return {outcome: Fraction(count, len(runs)) for outcome, count in Counter(runs).items()}


SOURCES = {
    "random": lambda: ([random.random() for _ in range(SIZE)], random.randrange(3)),
    "numpy": lambda: (np.random.default_rng().random(SIZE), int(np.random.randint(3))),
    "torch": lambda: (torch.rand(SIZE, dtype=torch.float64), int(torch.randint(0, 3, (1,)))),
}


@settings(max_examples=12)
@given(program=programs)
def test_the_law_of_a_program_is_the_one_of_the_grid_in_every_library(program):
    expected = oracle(program)
    for source in SOURCES.values():
        assert explore_program(lambda source=source: perform(program, *source())).law == expected


def test_the_oracle_tells_programs_apart():
    strict = Program((1.0, 1.0), (("below", 0, 0.5),))
    other = Program((1.0, 1.0), (("below", 0, 0.625),))
    assert oracle(strict) == {(True,): Fraction(1, 2), (False,): Fraction(1, 2)}
    assert explore_program(lambda: perform(other, *SOURCES["numpy"]())).law != oracle(strict)
