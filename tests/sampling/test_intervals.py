"""What a parameter may be, and how that reads."""

import math
from fractions import Fraction

import numpy as np
import pytest

from draftproof.sampling.intervals import Interval


@pytest.mark.parametrize(
    ("interval", "inside", "outside"),
    [
        (Interval(0, 1, low_open=True), [1, 0.5, Fraction(1, 3), np.float32(0.1)], [0, -0.1, 1.1]),
        (Interval(0, 1, high_open=True), [0, 0.99], [1]),
        (Interval(low=0), [0, 1e300], [-1e-300]),
        (Interval(low=2, whole=True), [2, np.int64(7)], [1, 2.0, 2.5]),
        (Interval(), [-1e300, 0], []),
    ],
)
def test_what_lies_inside(interval: Interval, inside: list, outside: list) -> None:
    assert all(value in interval for value in inside)
    assert not any(value in interval for value in [*outside, math.nan, math.inf, -math.inf, "1", None, True, 1j])


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0, 1, low_open=True), "a number in (0, 1]"),
        (Interval(0, 1, high_open=True), "a number in [0, 1)"),
        (Interval(low=0), "a number of at least 0"),
        (Interval(low=0, low_open=True), "a number above 0"),
        (Interval(low=1, whole=True), "an integer of at least 1"),
        (Interval(), "a finite number"),
    ],
)
def test_how_it_reads(interval: Interval, text: str) -> None:
    assert str(interval) == text
