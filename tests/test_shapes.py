"""Shape annotations are checked in these tests and cost nothing elsewhere."""

import subprocess
import sys
from fractions import Fraction

import jaxtyping
import numpy as np
import pytest

from draftproof.carriers import at, normalise, ratio
from draftproof.models.table import TableModel

LAWS = np.full((2, 3, 4), 0.25)
EXACT = np.full((2, 3, 4), Fraction(1, 4))


@pytest.mark.parametrize("laws", [LAWS, EXACT], ids=["float64", "fraction"])
class TestAWrongShapeRaises:
    def test_where_an_axis_is_missing(self, laws: np.ndarray) -> None:
        with pytest.raises(jaxtyping.TypeCheckError, match="laws"):
            at(laws[0], np.zeros((2, 3), np.int64))

    def test_where_two_arrays_disagree_on_an_axis(self, laws: np.ndarray) -> None:
        with pytest.raises(jaxtyping.TypeCheckError, match="tokens"):
            at(laws, np.zeros((2, 2), np.int64))

    def test_where_token_ids_are_not_integers(self, laws: np.ndarray) -> None:
        with pytest.raises(jaxtyping.TypeCheckError, match="tokens"):
            at(laws, np.zeros((2, 3)))

    def test_where_an_argument_is_given_by_name(self, laws: np.ndarray) -> None:
        with pytest.raises(jaxtyping.TypeCheckError, match="otherwise"):
            normalise(laws[0], otherwise=laws[0, :, :1])

    def test_but_the_right_shape_passes(self, laws: np.ndarray) -> None:
        assert at(laws, np.zeros((2, 3), np.int64)).shape == (2, 3)


def test_a_wrong_shape_raises_in_the_constructor_of_a_dataclass() -> None:
    with pytest.raises(jaxtyping.TypeCheckError, match="TableModel"):
        TableModel(LAWS)


def one_for_two() -> np.ndarray:
    """A call with a wrong shape that numpy itself would let pass."""
    return ratio(np.ones(2), np.ones(1))


def test_the_check_is_on_by_default() -> None:
    with pytest.raises(jaxtyping.TypeCheckError, match="denominator"):
        one_for_two()


def test_the_check_can_be_switched_off_for_one_test(unchecked_shapes: None) -> None:
    assert one_for_two().tolist() == [1, 1]


WITHOUT_JAXTYPING = """
import sys
sys.modules["jaxtyping"] = None  # import it and ModuleNotFoundError is raised
import numpy as np
from draftproof.carriers import pick_row
print(pick_row(np.eye(3), np.zeros(3, int)).tolist())
"""


def test_without_jaxtyping_the_annotations_mean_nothing() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_JAXTYPING], capture_output=True, text=True, check=False)
    assert run.stdout == "[1.0, 0.0, 0.0]\n", run.stderr
