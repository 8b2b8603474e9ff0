"""The distance of two laws, and where they differ most."""

from fractions import Fraction

from draftproof.proof.laws import bounds, compare, rounding_bound


def test_equal_laws_have_no_distance_and_no_worst_output():
    law = {(0,): Fraction(1, 3), (1,): Fraction(2, 3)}
    assert compare(law, dict(law)) == (0, None, 0, 0)
    assert compare({}, {}).total_variation == 0


def test_an_output_of_probability_0_is_as_good_as_none():
    assert compare({(0,): Fraction(1), (1,): Fraction(0)}, {(0,): Fraction(1)}).total_variation == 0


def test_the_distance_is_half_the_sum_of_the_gaps_and_the_worst_output_is_named():
    observed = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    expected = {(0,): Fraction(1, 4), (1,): Fraction(1, 8), (2, 0): Fraction(5, 8)}
    assert compare(observed, expected) == (Fraction(5, 8), (2, 0), 0, Fraction(5, 8))


def test_the_distance_is_also_a_float():
    assert compare({(0,): Fraction(1)}, {(1,): Fraction(1)}).distance == 1.0


def test_outputs_of_many_kinds_have_an_order():
    assert compare({"b": Fraction(1)}, {None: Fraction(1)}).worst == "b"


def test_the_distance_of_a_part_of_a_law_lies_between_its_excess_and_its_shortfall():
    part = {(0,): Fraction(3, 8), (1,): Fraction(1, 8)}
    expected = {(0,): Fraction(1, 4), (1,): Fraction(1, 2), (2,): Fraction(1, 4)}
    assert bounds(part, expected) == (Fraction(1, 8), Fraction(5, 8))
    for rest in ({(1,): Fraction(1, 2)}, {(0,): Fraction(1, 2)}, {(2,): Fraction(1, 4), (3,): Fraction(1, 4)}):
        whole = {output: part.get(output, Fraction(0)) + rest.get(output, Fraction(0)) for output in part.keys() | rest.keys()}
        assert Fraction(1, 8) <= compare(whole, expected).total_variation <= Fraction(5, 8)


def test_the_distance_of_a_whole_law_is_certain():
    law, expected = {(0,): Fraction(1)}, {(0,): Fraction(1, 3), (1,): Fraction(2, 3)}
    assert bounds(law, expected) == (Fraction(2, 3), Fraction(2, 3))


def test_a_bias_is_told_from_rounding_by_its_bound():
    bound = rounding_bound(decisions=3, outcomes=5, bits=24)
    assert bound == Fraction(150, 2**24)
    assert Fraction(1, 2**22) < bound < Fraction(1, 100)
