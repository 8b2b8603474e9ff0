"""The distance of two laws, and where they differ most."""

from fractions import Fraction

from draftproof.proof.laws import compare


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
