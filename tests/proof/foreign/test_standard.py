"""The draws of `random`: each has its law, from the module and from every instance, and those without a rule are refused."""

import math
import random
from fractions import Fraction
from itertools import permutations

import pytest

from draftproof.errors import Untracked
from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
MAKERS = {"module": lambda: random, "Random": random.Random, "seeded": lambda: random.Random(1), "SystemRandom": random.SystemRandom}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
@pytest.mark.parametrize(
    ("draw", "law"),
    [
        (lambda rng: rng.random() < 0.25, {True: QUARTER, False: 1 - QUARTER}),
        (lambda rng: rng.uniform(-1, 1) < 0.5, {True: 1 - QUARTER, False: QUARTER}),
        (lambda rng: rng.choice("ab"), {"a": HALF, "b": HALF}),
        (lambda rng: rng.choices("ab", [3, 1]), {("a",): 1 - QUARTER, ("b",): QUARTER}),
        (lambda rng: rng.choices("ab", cum_weights=[0.5, 1.0], k=2), {(a, b): QUARTER for a in "ab" for b in "ab"}),
        (lambda rng: rng.choices("ab"), {("a",): HALF, ("b",): HALF}),
        (lambda rng: rng.sample(range(3), 3), dict.fromkeys(permutations(range(3)), Fraction(1, 6))),
        (lambda rng: rng.randint(1, 2), {1: HALF, 2: HALF}),
        (lambda rng: rng.randrange(0, 8, 2), dict.fromkeys((0, 2, 4, 6), QUARTER)),
        (lambda rng: rng.getrandbits(2), dict.fromkeys(range(4), QUARTER)),
        (lambda rng: rng.expovariate(1.0) < rng.expovariate(3.0), {True: QUARTER, False: 1 - QUARTER}),
        (lambda rng: math.log(rng.random(), 2) < math.log(rng.random(), 2), {True: HALF, False: HALF}),
        (lambda rng: math.log1p(-rng.random()) < math.log1p(-rng.random()), {True: HALF, False: HALF}),
        (lambda rng: math.log2(rng.random()) < math.log2(rng.random()), {True: HALF, False: HALF}),
        (lambda rng: math.log10(rng.random()) < 2 * math.log10(rng.random()), {True: Fraction(1, 3), False: Fraction(2, 3)}),
        (lambda rng: math.exp(math.log(rng.random())) < 0.5, {True: HALF, False: HALF}),
    ],
)
def test_a_draw_has_its_law(make, draw, law):
    assert explore_program(lambda: draw(make())).law == law


def test_weights_are_taken_as_the_rationals_they_are():
    law = explore_program(lambda: random.choices(range(3), [0.1, 0.2, 0.3])[0]).law
    cumulative = [Fraction(edge) for edge in (0.1, 0.1 + 0.2, 0.1 + 0.2 + 0.3)]  # as `choices` adds them up
    assert law == {
        0: cumulative[0] / cumulative[2],
        1: (cumulative[1] - cumulative[0]) / cumulative[2],
        2: 1 - cumulative[1] / cumulative[2],
    }


def test_a_logarithm_of_a_plain_number_is_unchanged():
    assert explore_program(lambda: (math.log(8, 2), math.log(1))).law == {(math.log(8, 2), 0.0): 1}


@pytest.mark.parametrize(
    "name", ["gauss", "normalvariate", "lognormvariate", "vonmisesvariate", "gammavariate", "betavariate", "weibullvariate", "triangular"]
)
def test_a_draw_without_a_rule_is_refused_by_name(name):
    for make in (lambda: random, random.Random):
        with pytest.raises(Untracked, match=rf"random\.{name} has no exact rule"):
            explore_program(lambda make=make: getattr(make(), name)(1, 1))


def test_a_state_that_is_set_is_refused():
    state = random.getstate()
    with pytest.raises(Untracked, match=r"random\.setstate"):
        explore_program(lambda: random.setstate(state))
