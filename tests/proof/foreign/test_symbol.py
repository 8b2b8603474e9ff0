"""A random number as a formula: its arithmetic, its events, and all that it refuses."""

import copy
import math
import pickle
import random
from fractions import Fraction

import pytest

from draftproof.errors import Untracked
from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF = Fraction(1, 2)


def chance(event):
    """The probability of an event."""
    return explore_program(lambda: bool(event())).law.get(True, Fraction(0))


def draw():
    return random.random()


def exponential():
    return random.expovariate(1.0)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (lambda: draw() < 0.25, Fraction(1, 4)),
        (lambda: draw() <= 0.25, Fraction(1, 4)),
        (lambda: draw() > 0.25, Fraction(3, 4)),
        (lambda: draw() >= 0.25, Fraction(3, 4)),
        (lambda: Fraction(1, 4) * 1 > draw(), Fraction(1, 4)),
        (lambda: draw() < Fraction(1, 3), Fraction(1, 3)),
        (lambda: draw() < 2, Fraction(1)),
        (lambda: draw() < -1, Fraction(0)),
        (lambda: draw() < math.inf, Fraction(1)),
        (lambda: draw() > -math.inf, Fraction(1)),
        (lambda: draw() < math.nan or draw() >= math.nan, Fraction(0)),
        (lambda: draw() == 0.25, Fraction(0)),
        (lambda: draw() != 0.25, Fraction(1)),
        (lambda: 1 - draw() < 0.25, Fraction(1, 4)),
        (lambda: -draw() < -0.25, Fraction(3, 4)),
        (lambda: 3 * draw() - 1 < 0.5, HALF),
        (lambda: (draw() + 1) / 4 > 0.375, HALF),
        (lambda: draw() * 0 < 0.25, Fraction(1)),
        (lambda: abs(draw()) < 0.5, HALF),
        (lambda: math.log(draw()) < 0, Fraction(1)),
        (lambda: -math.log(draw()) / 4 > 0, Fraction(1)),
        (lambda: exponential() < exponential(), HALF),
        (lambda: exponential() < exponential() / 3, Fraction(1, 4)),
        (lambda: 3 / exponential() > 1 / exponential(), Fraction(3, 4)),
        (lambda: math.log(draw()) < 2 * math.log(draw()), Fraction(1, 3)),
        (lambda: draw() < draw(), HALF),
        (lambda: 1 / exponential() < 0, Fraction(0)),
        (lambda: int(4 * draw()) == 2, Fraction(1, 4)),
        (lambda: math.floor(4 * draw() - 2) == -1, Fraction(1, 4)),
        (lambda: int(4 * draw() - 4) == -3, Fraction(1, 4)),
        (lambda: int(4 * draw() - 2) == 0, HALF),
        (lambda: int(4 * draw() - 2) == 1, Fraction(1, 4)),
        (lambda: draw() / 2 < 0.25 and draw() < 0.5, Fraction(1, 4)),
        (lambda: math.ceil(4 * draw()) == 3, Fraction(1, 4)),
        (lambda: round(4 * draw()) == 4, Fraction(1, 8)),
        (lambda: draw() ** 2 < draw() ** 3, Fraction(2, 5)),
        (lambda: (1 - draw()) ** 2 < draw() ** 0.5, Fraction(4, 5)),
        (lambda: draw() ** 2 <= 0 or draw() ** 2 > 1 or draw() ** -1 < 1, Fraction(0)),
        (lambda: (draw() ** 0, draw() ** math.inf, draw() ** -math.inf) == (1, 0, math.inf), Fraction(1)),
        (lambda: (draw() ** 2).log() < draw().log(), Fraction(2, 3)),
        (lambda: -(draw() ** 2) < -(draw() ** 3), Fraction(3, 5)),
        (lambda: -(draw() ** -2) < -(draw() ** -1), Fraction(2, 3)),
        (lambda: -(draw() ** 2) < 0 and not -(draw() ** 2) < -1 and draw() ** 2 * 0 == 0, Fraction(1)),
    ],
)
def test_an_event_has_its_probability(event, expected):
    assert chance(event) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (lambda: math.log(draw()) < -0.75, math.exp(-0.75)),
        (lambda: exponential() < 0.5, 1 - math.exp(-0.5)),
        (lambda: 2 / exponential() < 4, math.exp(-0.5)),
        (lambda: -2 / exponential() < -4, 1 - math.exp(-0.5)),
        (lambda: math.log(exponential()) < 0.5, 1 - math.exp(-math.exp(0.5))),
        (lambda: -math.log(exponential()) < 0.5, math.exp(-math.exp(-0.5))),
        (lambda: math.log(1 - draw()) < -0.75, math.exp(-0.75)),
        (lambda: (-draw()).log1p() < -0.75, math.exp(-0.75)),
        (lambda: draw().log2() < -0.75, 2**-0.75),
        (lambda: draw().log10() < -0.75, 10**-0.75),
        (lambda: draw() ** 2 < 0.25, 0.5),
        (lambda: -2 * draw() ** 2 < -0.5, 0.5),
        (lambda: 3 * draw() ** -2 > 12, 0.5),
        (lambda: (1 - draw()) ** -3 < 8, 0.5),
        (lambda: draw() ** 0.75 < 0.75, 0.75 ** (4 / 3)),
        (lambda: math.log(exponential()) + 0.5 < math.log(exponential()), 1 / (1 + math.exp(0.5))),
    ],
)
def test_an_event_through_an_exponential_has_its_probability_up_to_the_rounding_that_is_reported(event, expected):
    found = explore_program(lambda: bool(event()))
    assert 0 < found.rounding < Fraction(1, 2**48)
    assert float(found.law[True]) == pytest.approx(expected, rel=1e-14)


def test_one_number_is_never_two():
    def events():
        u = draw()
        return u < 0.5, u < 0.25, 1 - u < 0.5

    assert explore_program(events).law == {
        (True, True, False): Fraction(1, 4),
        (True, False, False): Fraction(1, 4),
        (False, False, True): HALF,
    }


def test_a_number_equals_itself_and_its_difference_from_itself_is_0():
    def events():
        u = draw()
        return u == u, u <= u, u < u, u - u, 2 * u - u < 0.5

    assert explore_program(events).law == {(True, True, False, 0.0, True): HALF, (True, True, False, 0.0, False): HALF}


def test_a_copy_is_the_same_number():
    def events():
        numbers = [draw()]
        return numbers[0] < 0.5, copy.deepcopy(numbers)[0] < 0.5, copy.copy(numbers[0]) < 0.5

    assert explore_program(events).law == {(True, True, True): HALF, (False, False, False): HALF}


def test_three_numbers_are_ordered_in_six_ways_and_no_order_is_contradicted():
    def ranks():
        values = [draw(), draw(), draw()]
        order = sorted(range(3), key=values.__getitem__)
        assert values[order[0]] < values[order[2]]
        return tuple(order)

    assert set(explore_program(ranks).law.values()) == {Fraction(1, 6)}


def test_an_exponential_undoes_a_logarithm():
    def event():
        u = draw()
        return u.log().exp() < 0.25, (1 - u).log().exp() < 0.5

    assert explore_program(event).law == {(True, False): Fraction(1, 4), (False, False): Fraction(1, 4), (False, True): HALF}


@pytest.mark.parametrize(("guard", "chance"), [(1e-10, 1e-10), (1e-7, 1e-7)])
def test_a_guard_against_0_is_neglected_and_its_probability_reported(guard, chance):
    for program in (
        lambda: exponential() + guard < exponential(),
        lambda: exponential().at_least(guard) < exponential(),
        lambda: math.log(draw() + guard) < math.log(draw()),
    ):
        found = explore_program(program)
        assert found.law == {True: HALF, False: HALF}
        assert float(found.rounding) == pytest.approx(chance, rel=1e-3)


def test_a_bound_that_matters_is_an_event():
    law = explore_program(lambda: draw().at_least(0.25) <= 0.25).law
    assert law == {True: Fraction(1, 4), False: Fraction(3, 4)}
    assert explore_program(lambda: draw().at_most(0.25) >= 0.25).law == {True: Fraction(3, 4), False: Fraction(1, 4)}


REFUSED = {
    "float()": lambda: float(draw()),
    "the truth value": lambda: bool(draw()),
    "an index": lambda: [1, 2][draw()],
    "the text": lambda: f"{draw():.2f}",
    "the text alone": lambda: str(draw()),
    "a file or message": lambda: pickle.dumps(draw()),
    "rounding to 2 digits": lambda: round(draw(), 2),
    "a power of": lambda: (2 * draw()) ** 2,
    "a power to it": lambda: draw() ** draw(),
    "a power of a power of e": lambda: exponential().log() ** 2,
    "exponent": lambda: 2 ** draw(),
    "races differently, to": lambda: draw() ** 2 < 2 * draw() ** 3,
    "the sum": lambda: draw() + draw(),
    "the difference": lambda: draw() - draw(),
    "the product": lambda: draw() * draw(),
    "the quotient with": lambda: draw() / draw(),
    "the quotient 1": lambda: 1 / draw(),
    "dividing by 0": lambda: (draw() - 0.5) / 0,
    "multiplying by inf": lambda: draw() * math.inf,
    "the absolute value": lambda: abs(draw() - 0.5),
    "the logarithm": lambda: math.log(2 * draw()),
    "the exponential": lambda: draw().exp(),
    "adding 0.5": lambda: exponential() + 0.5,
    "adding 800": lambda: math.log(exponential()) + 800,
    "the comparison with 800": lambda: math.log(exponential()) < 800,
    "races differently": lambda: exponential() < 1 / exponential(),
    "another scale": lambda: draw() < 2 * draw(),
    "rounding down": lambda: int(exponential()),
    "the larger": lambda: draw().at_least(draw()),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED.keys())
def test_what_has_no_rule_is_refused_by_name_and_line(program):
    with pytest.raises(Untracked, match=r"test_symbol.py:\d+: .*lambda"):
        explore_program(program)


def test_a_number_that_raced_is_not_compared_and_one_that_was_compared_does_not_race():
    def first_a_race():
        u, v = draw(), draw()
        return u < v, u < 0.5

    def first_a_number():
        u, v = draw(), draw()
        return u < 0.5, u < v

    def both_readings():
        u, v = draw(), draw()
        return math.log(u) < math.log(v), math.log(1 - u) < math.log(v)

    with pytest.raises(Untracked, match="took part in a race is compared"):
        explore_program(first_a_race)
    with pytest.raises(Untracked, match="was compared with a number takes part"):
        explore_program(first_a_number)
    with pytest.raises(Untracked, match=r"log u and log\(1 - u\)"):
        explore_program(both_readings)


def test_a_refusal_that_the_program_swallows_ends_the_exploration_all_the_same():
    def careless():
        try:
            return float(draw())
        except Exception:
            return 0.0

    with pytest.raises(Untracked, match=r"float\(\)"):
        explore_program(careless)
