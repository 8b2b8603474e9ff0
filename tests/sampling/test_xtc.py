"""XTC as a mixture, and the mixture against draws of the coin."""

import numpy as np
import pytest

from draftproof.sampling.chain import Chain
from draftproof.sampling.temperature import Temperature
from draftproof.sampling.xtc import Xtc

ROW = np.log(np.array([0.4, 0.3, 0.2, 0.1]))


def law(*steps: object, row: np.ndarray = ROW) -> np.ndarray:
    chain = Chain(steps)
    return chain.law(row, chain.start([]))


def test_the_least_likely_of_the_top_choices_stays() -> None:
    assert law(Xtc(1.0, 0.15)) == pytest.approx([0, 0, 2 / 3, 1 / 3])


def test_the_law_is_the_mixture_over_the_coin() -> None:
    assert law(Xtc(0.25, 0.25)) == pytest.approx([0.75 * 0.4, 0.75 * 0.3 + 0.25 * 0.5, 0.75 * 0.2 + 0.25 / 3, 0.75 * 0.1 + 0.25 / 6])


def test_the_rest_of_the_chain_acts_on_each_branch() -> None:
    plain, excluded = law(Temperature(0.5)), law(Xtc(1.0, 0.15), Temperature(0.5))
    assert law(Xtc(0.25, 0.15), Temperature(0.5)) == pytest.approx(0.75 * plain + 0.25 * excluded)
    assert law(Temperature(0.5), Xtc(0.25, 0.15)) != pytest.approx(0.75 * plain + 0.25 * excluded)


@pytest.mark.parametrize("threshold", [0.35, 0.45])
def test_nothing_goes_unless_two_tokens_reach_the_threshold(threshold: float) -> None:
    assert law(Xtc(1.0, threshold)) == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_of_equal_least_likely_tokens_the_highest_id_stays() -> None:
    assert law(Xtc(1.0, 0.25), row=np.zeros(4)).tolist() == [0, 0, 0, 1]


def test_each_row_has_its_own_top_choices() -> None:
    chain = Chain((Xtc(1.0, 0.25),))
    laws, _ = chain.laws(np.stack([ROW, ROW[::-1]]), chain.start([]), [0], [0])
    assert laws[1] == pytest.approx(laws[0][::-1])
