"""The array operations of a rule do the same on every carrier of numbers."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from draftproof import carriers
from draftproof.carriers import (
    SUM_TOLERANCE,
    at,
    check_laws,
    from_float64,
    indicator,
    is_exact,
    normalise,
    one_hot,
    ones,
    pick_row,
    ratio,
    stack,
    to_float64,
)
from draftproof.errors import BadLaw
from draftproof.types import NOTHING

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
NAN, INF = float("nan"), float("inf")

# (batch 2, position 2, vocab 3), every entry another number
LAWS = [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]


class TestIndexing:
    def test_at_reads_each_token_in_its_own_place(self, carrier):
        assert carrier.same(at(carrier.array(LAWS), np.array([[2, 0], [1, 1]])), [[2, 3], [7, 10]])

    def test_at_reads_the_last_entry_where_nothing_was_drafted(self, carrier):
        assert carrier.same(at(carrier.array(LAWS), np.array([[NOTHING, 0], [1, NOTHING]])), [[2, 3], [7, 11]])

    def test_pick_row_takes_one_row_of_each_batch_entry(self, carrier):
        assert carrier.same(pick_row(carrier.array(LAWS), np.array([1, 0])), [[3, 4, 5], [6, 7, 8]])

    def test_stack_puts_the_new_axis_after_the_batch(self, carrier):
        assert carrier.same(stack([carrier.array([1, 2]), carrier.array([3, 4])]), [[1, 3], [2, 4]])

    def test_stack_puts_the_new_axis_where_it_is_told(self, carrier):
        assert carrier.same(stack((carrier.array([1, 2]), carrier.array([3, 4])), axis=0), [[1, 2], [3, 4]])


class TestMasks:
    def test_indicator_is_0_and_1_of_the_same_carrier(self, carrier):
        assert carrier.same(indicator(np.array([[True, False]]), carrier.array([HALF])), [[1, 0]])

    def test_indicator_of_the_exact_carrier_is_made_of_fractions(self):
        made = indicator(np.array([True, False]), np.array([HALF], object))
        assert [type(number) for number in made] == [Fraction, Fraction]

    def test_one_hot_is_the_point_mass_at_each_token(self, carrier):
        assert carrier.same(one_hot(np.array([[2, 0]]), 3, carrier.array([HALF])), [[[0, 0, 1], [1, 0, 0]]])

    def test_one_hot_of_nothing_is_zeros(self, carrier):
        assert carrier.same(one_hot(np.array([NOTHING]), 3, carrier.array([HALF])), [[0, 0, 0]])

    def test_ones_is_a_column_as_long_as_the_batch(self, carrier):
        assert carrier.same(ones(carrier.array(LAWS)), [1, 1])


class TestRatio:
    def test_divides(self, carrier):
        assert carrier.same(ratio(carrier.array([HALF, 1]), carrier.array([QUARTER, 3])), [2, Fraction(1, 3)])

    @pytest.mark.parametrize("numerator", [0, HALF])
    def test_is_0_where_the_denominator_is_0(self, carrier, numerator):
        assert carrier.same(ratio(carrier.array([numerator]), carrier.array([0])), [0])

    def test_stays_exact_where_clipping_left_integers(self):
        quotient = ratio(np.array([-HALF, HALF], object).clip(min=0), np.array([3 * HALF, 3 * HALF], object).clip(max=1))
        assert [type(number) for number in quotient] == [Fraction, Fraction]
        assert quotient.tolist() == [0, HALF]


class TestNormalise:
    def test_divides_each_row_by_its_sum(self, carrier):
        rows = normalise(carrier.array([[1, 3], [2, 2]]), otherwise=carrier.array([[9, 9], [9, 9]]))
        assert carrier.same(rows, [[QUARTER, Fraction(3, 4)], [HALF, HALF]])

    def test_takes_the_other_row_only_where_there_is_no_weight(self, carrier):
        rows = normalise(carrier.array([[0, 0], [0, 5]]), otherwise=carrier.array([[QUARTER, Fraction(3, 4)], [1, 0]]))
        assert carrier.same(rows, [[QUARTER, Fraction(3, 4)], [0, 1]])

    def test_divides_a_tiny_sum_like_any_other(self, carrier):
        tiny = Fraction(1, 2**100)
        rows = normalise(carrier.array([[tiny, tiny]]), otherwise=carrier.array([[1, 0]]))
        assert carrier.same(rows, [[HALF, HALF]])

    def test_stays_exact_where_clipping_left_integers(self):
        (row,) = normalise(np.array([[-HALF, 3, 5]], object).clip(min=0).clip(max=1), otherwise=np.array([[1, 0, 0]], object))
        assert [type(number) for number in row] == [Fraction] * 3
        assert row.tolist() == [0, HALF, HALF]

    def test_takes_rows_on_any_axes(self, carrier):
        rows = normalise(carrier.array([[[1, 3]], [[0, 0]]]), otherwise=carrier.array([[[1, 0]], [[1, 0]]]))
        assert carrier.same(rows, [[[QUARTER, Fraction(3, 4)]], [[1, 0]]])


class TestToFloat64:
    def test_gives_numpy_numbers_whatever_the_carrier(self, carrier):
        row = to_float64(carrier.array([QUARTER, HALF]))
        assert (type(row), row.dtype, row.tolist()) == (np.ndarray, np.float64, [0.25, 0.5])

    def test_takes_a_tensor_that_records_gradients(self):
        assert to_float64(torch.tensor([0.5], requires_grad=True)).tolist() == [0.5]

    def test_widens_bfloat16(self):
        assert to_float64(torch.tensor([0.5, 0.25], dtype=torch.bfloat16)).tolist() == [0.5, 0.25]


class TestFromFloat64:
    def test_gives_the_same_numbers_on_the_carrier_asked_for(self, carrier):
        assert carrier.same(from_float64(np.array([[0.25, 0.5]]), carrier.array([1])), [[QUARTER, HALF]])

    def test_gives_fractions_exactly_the_float_and_not_what_it_was_meant_to_be(self):
        (number,) = from_float64(np.array([0.1]), np.array([HALF], object))
        assert number == Fraction(0.1) != Fraction(1, 10)


class TestIsExact:
    def test_is_true_of_fractions_alone(self, carrier):
        assert is_exact(carrier.array([HALF])) == (carrier.tolerance == 0)


class TestCheckLaws:
    def test_passes_rows_that_are_laws(self, carrier):
        check_laws(carrier.array([[[QUARTER, Fraction(3, 4)], [0, 1]]]), "here")

    def test_passes_a_single_row(self, carrier):
        check_laws(carrier.array([QUARTER, Fraction(3, 4)]), "here")

    def test_names_the_row_and_its_sum(self, carrier):
        with pytest.raises(
            BadLaw, match=r"^the draft, row \(1, 0\): the probabilities sum to (3/4|0\.75), not 1; divide the row by its sum$"
        ):
            check_laws(carrier.array([[[HALF, HALF]], [[HALF, QUARTER]]]), "the draft")

    def test_names_the_token_that_is_negative_though_the_row_sums_to_1(self, carrier):
        with pytest.raises(BadLaw, match=r"^here, row \(0,\): token 1 has probability -(1/4|0\.25); every probability must be"):
            check_laws(carrier.array([[Fraction(5, 4), -QUARTER]]), "here")

    def test_names_a_single_row_by_its_place_alone(self, carrier):
        with pytest.raises(BadLaw, match=r"^here: the probabilities sum to"):
            check_laws(carrier.array([HALF, QUARTER]), "here")

    def test_refuses_a_row_of_zeros(self, carrier):
        with pytest.raises(BadLaw, match="sum to 0"):
            check_laws(carrier.array([[0, 0]]), "here")

    def test_passes_a_row_of_zeros_where_a_blank_is_allowed(self, carrier):
        check_laws(carrier.array([[0, 0], [0, 1]]), "here", blank_allowed=True)

    def test_a_blank_allowed_excuses_nothing_else(self, carrier):
        with pytest.raises(BadLaw, match=r"row \(1,\): the probabilities sum to"):
            check_laws(carrier.array([[0, 0], [0, HALF]]), "here", blank_allowed=True)
        with pytest.raises(BadLaw, match=r"row \(0,\): token 1 has probability -"):
            check_laws(carrier.array([[HALF, -HALF]]), "here", blank_allowed=True)

    def test_refuses_an_empty_vocabulary(self, carrier):
        with pytest.raises(BadLaw, match=r"^here: the vocabulary is empty \(shape \(2, 0\)\)"):
            check_laws(carrier.array([[], []]), "here")

    def test_allows_fractions_no_rounding(self):
        row = np.array([HALF, HALF + Fraction(1, 10**30)], object)
        with pytest.raises(BadLaw, match="sum to"):
            check_laws(row, "here")

    @pytest.mark.parametrize("array", [np.array, torch.tensor])
    @pytest.mark.parametrize("share", [0.9, 1.1])
    @pytest.mark.parametrize("side", [1, -1])
    def test_allows_floats_the_stated_tolerance(self, array, share, side):
        row = array([0.5, 0.5 + side * share * SUM_TOLERANCE])
        if share < 1:
            check_laws(row, "here")
        else:
            with pytest.raises(BadLaw, match="sum to"):
                check_laws(row, "here")

    @pytest.mark.parametrize("array", [np.array, torch.tensor])
    @pytest.mark.parametrize("blank_allowed", [False, True])
    def test_refuses_nan_and_names_its_token(self, array, blank_allowed):
        with pytest.raises(BadLaw, match="token 1 has probability nan"):
            check_laws(array([0.5, NAN, 0.5]), "here", blank_allowed=blank_allowed)

    @pytest.mark.parametrize("array", [np.array, torch.tensor])
    def test_refuses_infinity(self, array):
        with pytest.raises(BadLaw, match="sum to inf"):
            check_laws(array([0.5, INF]), "here")


def test_the_module_does_not_hold_torch():
    assert not hasattr(carriers, "torch")
