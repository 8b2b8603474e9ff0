"""What a program holds from before it runs is explored wherever a variable holds it, and refused in one sentence elsewhere."""

import copy
import functools
import math
import pickle
import random
from fractions import Fraction
from math import log
from random import Random, expovariate, gauss, getrandbits, seed
from random import random as draw

import numpy as np
import pytest
from numpy.random import Generator, RandomState, choice, default_rng, dirichlet, rand

from draftproof.errors import BadRequest, Untracked
from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF = Fraction(1, 2)
COINS = {True: HALF, False: HALF}
OWN = Random(5).random


def drawn_by_a_helper():
    return draw() < 0.5


class Sampler:
    def __init__(self):
        self.draw = draw

    def toss(self):
        return self.draw() < 0.5


class Loaded(Random):
    """A generator that draws in its own way."""

    def random(self):
        return 0.25


LOADED = Loaded().random
held_in_closure = Random(7).getrandbits
old_generator = RandomState(3)


@pytest.mark.parametrize(
    "program",
    [
        lambda: draw() < 0.5,
        lambda: drawn_by_a_helper(),
        Sampler().toss,
        functools.partial(Sampler.toss, Sampler()),
        lambda: OWN() < 0.5,
        lambda: held_in_closure(1) == 1,
        lambda: getrandbits(1) == 1,
        lambda: expovariate(1) < expovariate(1),
        lambda: log(draw()) < log(draw()),
        lambda: -log(draw(), 2) < -math.log(draw(), 2),
        lambda: rand() < 0.5,
        lambda: choice(2) == 1,
        lambda: default_rng(3).random() < 0.5,
        lambda: Generator(np.random.PCG64(3)).integers(2) == 1,
        lambda: RandomState(3).rand() < 0.5,
        lambda: old_generator.rand() < 0.5,
    ],
)
def test_a_draw_by_a_name_of_its_own_is_explored(program):
    before = random.getstate()
    assert explore_program(program).law == COINS
    assert random.getstate() == before


@pytest.mark.parametrize("make", [Random, default_rng, lambda: RandomState(3)])
@pytest.mark.parametrize("copy", [copy.copy, copy.deepcopy, lambda generator: pickle.loads(pickle.dumps(generator))])
def test_a_copy_of_a_generator_is_refused_since_it_would_repeat_its_draws(make, copy):
    with pytest.raises(Untracked, match=r"copy of a numpy|random\.setstate"):
        explore_program(lambda: copy(make()).random() < 0.5)


def test_one_that_is_used_twice_is_one_number_each_time():
    found = explore_program(lambda: (draw() < 0.5, draw() < 0.25))
    assert found.law == {(a, b): HALF * (Fraction(1, 4) if b else Fraction(3, 4)) for a in (True, False) for b in (True, False)}


def test_everything_is_as_it_was_afterwards():
    names = (draw, getrandbits, log, rand, default_rng, Generator)
    explore_program(lambda: len([draw(), getrandbits(1), log(2), rand(), default_rng(), Generator]))
    assert names == (draw, getrandbits, log, rand, default_rng, Generator)
    assert isinstance(draw() + log(2) + rand(), float)


def test_a_logarithm_of_a_plain_number_is_unchanged():
    assert explore_program(lambda: log(8, 2)).law == {log(8, 2): 1}


def test_a_generator_of_a_class_that_draws_in_its_own_way_draws_so():
    assert explore_program(lambda: LOADED()).law == {0.25: 1}


def test_a_seed_by_a_name_of_its_own_is_noted():
    def reseeds():
        seed(1)
        random.seed(1)

    with pytest.raises(Untracked, match="seeded with 1 a second time"):
        explore_program(reseeds)


@pytest.mark.parametrize(("program", "name"), [(lambda: gauss(0, 1), "random.gauss"), (lambda: dirichlet([1, 1]), "RandomState.dirichlet")])
def test_a_draw_without_a_rule_is_refused_by_name(program, name):
    with pytest.raises(Untracked, match=f"{name} has no exact rule"):
        explore_program(program)


@pytest.mark.parametrize(
    ("held", "what"),
    [
        (Random(3).random, "a draw of a generator of `random`"),
        (np.random.default_rng(3), "a numpy generator"),
        (np.random.default_rng(3).random, "a numpy generator"),
        (default_rng, "a draw by a name of its own"),
        (rand, "a draw by a name of its own"),
    ],
)
def test_what_no_variable_holds_is_refused_if_it_would_draw_unseen(held, what):
    pair = (held, 1)
    with pytest.raises(BadRequest, match=f"the program holds {what} in tuple"):
        explore_program(lambda: pair[0])


def test_what_no_variable_holds_may_stay_if_its_draws_are_noticed():
    pair = (draw, log)
    assert explore_program(lambda: pair[1](1)).law == {0.0: 1}
    with pytest.raises(Untracked, match="by a name it had bound before"):
        explore_program(lambda: pair[0]() < 2)
    with pytest.raises(Untracked, match=r"float\(\) of a random number"):
        explore_program(lambda: pair[1](random.random()))
