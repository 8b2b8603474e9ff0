"""Temperature and its limit 0."""

import numpy as np

from draftproof.sampling.temperature import Greedy, Temperature


def test_scores_are_divided() -> None:
    assert Temperature(0.5).apply(np.array([[1.0, -2.0]]), [None]).tolist() == [[2, -4]]


def test_precision_is_kept() -> None:
    assert Temperature(0.7).apply(np.ones((1, 2), np.float32), [None]).dtype == np.float32


def test_temperature_0_takes_the_lowest_id_of_the_likeliest() -> None:
    rows = np.array([[1.0, 3.0, 3.0], [-np.inf, -5.0, -np.inf]])
    assert Greedy().keep(rows, [None, None]).tolist() == [[False, True, False], [False, True, False]]
