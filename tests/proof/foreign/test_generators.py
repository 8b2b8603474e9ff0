"""The draws of numpy: each has its law, whoever holds the generator, and those without a rule are refused by name."""

import functools
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from draftproof.errors import BadRequest, Untracked
from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF = Fraction(1, 2)
HELD = np.random.default_rng(3)
ORDERS = dict.fromkeys(permutations(range(3)), Fraction(1, 6))
PAIRS_OF_THREE = {
    (i, j): w * v / (1 - w) for i, w in enumerate((HALF, HALF / 2, HALF / 2)) for j, v in enumerate((HALF, HALF / 2, HALF / 2)) if i != j
}


def law_of(program):
    found = explore_program(program)
    assert found.complete
    return found.law


def makers():
    return {
        "Generator": lambda: np.random.default_rng(),
        "its class": lambda: np.random.Generator(np.random.PCG64(1)),
        "RandomState": lambda: np.random.RandomState(5),
        "the module": lambda: np.random,
    }


in_every_way = pytest.mark.parametrize("make", makers().values(), ids=makers().keys())


@in_every_way
@pytest.mark.parametrize(
    ("draw", "law"),
    [
        (lambda rng: rng.random() < 0.25, {True: Fraction(1, 4), False: Fraction(3, 4)}),
        (lambda rng: rng.random(2) < 0.5, dict.fromkeys([(a, b) for a in (True, False) for b in (True, False)], Fraction(1, 4))),
        (lambda rng: rng.uniform(-1, 1) < 0.5, {True: Fraction(3, 4), False: Fraction(1, 4)}),
        (lambda rng: (rng.uniform([0, 0], [1, 2]) < 0.5)[1], {True: Fraction(1, 4), False: Fraction(3, 4)}),
        (lambda rng: rng.exponential() < rng.exponential(3.0), {True: Fraction(3, 4), False: Fraction(1, 4)}),
        (lambda rng: rng.standard_exponential(3).argmin(), dict.fromkeys(range(3), Fraction(1, 3))),
        (lambda rng: rng.gumbel(size=2).argmax(), dict.fromkeys(range(2), HALF)),
        (lambda rng: rng.gumbel(1.0, 2.0) < rng.gumbel(1.0, 2.0), {True: HALF, False: HALF}),
        (lambda rng: rng.choice(3, p=[0.5, 0.25, 0.25]), {0: HALF, 1: HALF / 2, 2: HALF / 2}),
        (lambda rng: rng.choice(["a", "b"]), {"a": HALF, "b": HALF}),
        (lambda rng: rng.choice([5, 6], size=(1, 2)), {((a, b),): HALF / 2 for a in (5, 6) for b in (5, 6)}),
        (lambda rng: rng.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25]), PAIRS_OF_THREE),
        (lambda rng: rng.multinomial(1, [0.5, 0.25, 0.25]).argmax(), {0: HALF, 1: HALF / 2, 2: HALF / 2}),
        (lambda rng: rng.multinomial(2, [0.5, 0.5], size=1)[0], {(2, 0): HALF / 2, (1, 1): HALF, (0, 2): HALF / 2}),
        (lambda rng: rng.permutation(3), ORDERS),
        (lambda rng: rng.permutation([4, 5]), {(4, 5): HALF, (5, 4): HALF}),
    ],
)  # fmt: skip
def test_a_draw_has_its_law(make, draw, law):
    assert law_of(lambda: draw(make())) == law


@in_every_way
def test_a_shuffle_is_in_place(make):
    def program():
        items = np.arange(3)
        make().shuffle(items)
        return items

    assert law_of(program) == ORDERS


def test_whole_numbers():
    quarter = Fraction(1, 4)
    assert law_of(lambda: np.random.default_rng().integers(4)) == dict.fromkeys(range(4), quarter)
    assert law_of(lambda: np.random.default_rng().integers(1, 4, endpoint=True)) == dict.fromkeys(range(1, 5), quarter)
    assert law_of(lambda: np.random.randint(2, size=2)) == {(a, b): quarter for a in range(2) for b in range(2)}
    assert law_of(lambda: np.random.randint([1, 2], [2, 4])) == {(1, 2): HALF, (1, 3): HALF}
    assert law_of(lambda: type(np.random.randint(2)).__name__) == {"int": 1}
    assert law_of(lambda: np.random.default_rng().integers(2, size=1, dtype=np.int8).dtype.name) == {"int8": 1}
    assert law_of(lambda: (np.random.rand(1, 2) < 1).shape) == {(1, 2): 1}


def test_the_errors_of_a_draw_are_numpy_s():
    with pytest.raises(ValueError, match="robabilities do not sum to 1"):
        explore_program(lambda: np.random.default_rng().choice(2, p=[0.5, 0.4]))
    with pytest.raises(ValueError, match="low >= high"):
        explore_program(lambda: np.random.default_rng().integers(3, 3))


class Sampler:
    shared = np.random.default_rng(1)

    def __init__(self):
        self.rng = np.random.default_rng(2)

    def own(self):
        return self.rng.random() < 0.5

    def common(self):
        return Sampler.shared.random() < 0.5


def helper():
    return HELD.random() < 0.5


def test_a_generator_is_found_wherever_a_variable_holds_it():
    in_closure, sampler = np.random.default_rng(4), Sampler()
    bound = in_closure.random
    for program in (helper, sampler.own, sampler.common, functools.partial(Sampler.own, sampler), lambda: helper()):
        assert law_of(program) == {True: HALF, False: HALF}
    assert law_of(lambda: (in_closure.random() < 0.5, bound() < 0.5)) == dict.fromkeys(
        [(a, b) for a in (True, False) for b in (True, False)], HALF / 2
    )
    assert isinstance(HELD.random(), float)
    assert isinstance(sampler.rng.random(), float)


def test_a_generator_that_no_variable_holds_is_refused():
    pair = (np.random.default_rng(4), 1)
    with pytest.raises(BadRequest, match="holds a numpy generator in tuple"):
        explore_program(lambda: pair[0].random() < 0.5)
    with pytest.raises(BadRequest, match="holds a numpy generator in partial"):
        explore_program(functools.partial(lambda rng: rng.random() < 0.5, np.random.default_rng()))


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (lambda: np.random.normal(), "numpy.random.RandomState.normal"),
        (lambda: np.random.default_rng().standard_normal(3), "numpy.random.Generator.standard_normal"),
        (lambda: np.random.default_rng().poisson(1), "numpy.random.Generator.poisson"),
        (lambda: np.random.default_rng().spawn(2), "numpy.random.Generator.spawn"),
        (lambda: np.random.default_rng().bytes(2), "numpy.random.Generator.bytes"),
        (lambda: np.random.set_state(None), "numpy.random.RandomState.set_state"),
        (lambda: np.random.default_rng().random(out=np.empty(1)), "given as `out`"),
        (lambda: np.random.default_rng().standard_exponential(out=np.empty(1)), "given as `out`"),
        (lambda: np.random.default_rng().choice(2, 2, replace=False, shuffle=False), "whose order is numpy's own"),
        (lambda: np.random.default_rng().choice(2, p=[np.random.rand(), 0.5]), "with random weights"),
    ],
)
def test_a_draw_without_a_rule_is_refused_by_name(program, name):
    with pytest.raises(Untracked, match=name.replace(".", r"\.")):
        explore_program(program)
