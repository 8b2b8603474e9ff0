"""numpy arrays of random numbers: followed through views, copies and writes, and refused where they cannot be."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.errors import Untracked
from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

WEIGHTS = np.array([0.5, 0.25, 0.125, 0.125])
LAW = {token: Fraction(weight) for token, weight in enumerate(WEIGHTS.tolist())}


def uniform(*shape):
    return np.random.random_sample(shape)


def noise(*shape):
    return np.random.exponential(size=shape)


def law_of(program):
    return explore_program(program).law


@pytest.mark.parametrize(
    "program",
    [
        lambda: np.argmax(WEIGHTS / noise(4)),
        lambda: (WEIGHTS / noise(4)).argmax(),
        lambda: np.argmin(noise(4) / WEIGHTS),
        lambda: np.argmax(np.log(WEIGHTS) - np.log(noise(4))),
        lambda: np.argmax(np.log(WEIGHTS) + np.random.gumbel(size=4)),
        lambda: np.argmax(np.log(WEIGHTS) - np.log(-np.log(uniform(4)))),
        lambda: np.argmax(np.log(WEIGHTS) - np.log(-np.log(np.clip(uniform(4), 1e-12, 1 - 1e-12)))),
        lambda: np.argmax((np.log(WEIGHTS) - np.log(-np.log(np.maximum(uniform(4), 1e-12)))) / 0.5),
        lambda: np.argmax(np.exp(np.log(WEIGHTS) + np.random.gumbel(size=4))),
        lambda: np.argmin(-np.log(uniform(4)) / WEIGHTS),
        lambda: np.argmax((WEIGHTS / noise(4)).reshape(2, 2)),
        lambda: np.argmax(np.stack([WEIGHTS / noise(4)] * 2), axis=1)[1],
        lambda: (WEIGHTS / noise(4))[None].argmax(axis=-1, keepdims=True)[0, 0],
        lambda: (WEIGHTS / noise(4)).argsort()[-1],
        lambda: np.argsort(noise(4) / WEIGHTS)[0],
        lambda: (lambda row: list(row).index(row.max()))(WEIGHTS / noise(4)),
        lambda: (lambda row: [bool(entry) for entry in row == np.max(row)].index(True))(WEIGHTS / noise(4)),
        lambda: np.searchsorted(WEIGHTS.cumsum(), uniform(1), side="right")[0],
        lambda: np.searchsorted(WEIGHTS.cumsum(), uniform(1)[0]),
        lambda: (WEIGHTS.cumsum() <= uniform(1)).sum(),
        lambda: (uniform(1)[0] < WEIGHTS.cumsum()).argmax(),
        lambda: np.argmax(np.where([True] * 4, WEIGHTS / noise(4), 0)),
        lambda: np.argmax(np.concatenate([WEIGHTS[:2] / noise(2), WEIGHTS[2:] / noise(2)])),
        lambda: np.argmax((WEIGHTS / noise(4)).astype(np.float32).copy()),
    ],
)
def test_a_categorical_draw_however_it_is_written(program):
    found = explore_program(program)
    assert found.complete
    assert sum(abs(found.law.get(token, 0) - chance) for token, chance in LAW.items()) <= found.rounding * 2 < Fraction(1, 2**30)


def test_an_entry_is_one_number_in_every_view_and_copy():
    def program():
        numbers = uniform(2, 2)
        below = numbers[0, 1] < 0.5
        return below, numbers[0][1] < 0.25, numbers.T[1, 0] < 0.5, numbers.copy()[0, 1] >= 0.5, np.array(numbers).reshape(4)[1] < 0.5

    assert law_of(program) == {
        (True, True, True, False, True): Fraction(1, 4),
        (True, False, True, False, True): Fraction(1, 4),
        (False, False, False, True, False): Fraction(1, 2),
    }


def test_a_write_is_seen_by_every_view_and_by_no_copy():
    def program():
        numbers = uniform(2)
        view, copied = numbers[:1], numbers.copy()
        numbers[0] = 0.75
        return view[0] < 0.5, copied[0] < 0.5

    assert law_of(program) == {(False, True): Fraction(1, 2), (False, False): Fraction(1, 2)}


def test_a_mask_moves_and_writes_entries():
    def program():
        numbers = uniform(3)
        numbers[np.array([True, False, True])] = [0.0, 1.0]
        return numbers < 0.5

    assert law_of(program) == {(True, True, False): Fraction(1, 2), (True, False, False): Fraction(1, 2)}


def test_whole_numbers_and_special_values():
    assert law_of(lambda: (uniform(1) * 2).astype(int)) == {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    assert law_of(lambda: (np.isnan(uniform(1)), np.isfinite(uniform(1)), np.isinf(uniform(1)))) == {((False,), (True,), (False,)): 1}
    assert law_of(lambda: float(np.sum(np.zeros_like(uniform(2))))) == {0.0: 1}
    assert law_of(lambda: np.exp(np.ones_like(uniform(1)) * 0)) == {(1.0,): 1}
    assert law_of(lambda: (np.maximum(uniform(1), 0.25) <= 0.25, np.minimum(uniform(1), 0.25) >= 0.25)) == {
        ((True,), (True,)): Fraction(3, 16), ((True,), (False,)): Fraction(1, 16),
        ((False,), (True,)): Fraction(9, 16), ((False,), (False,)): Fraction(3, 16),
    }  # fmt: skip


def into(array, values):
    array[...] = values
    return array


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (lambda: uniform(3).sum(), r"numpy\.add\.reduce"),
        (lambda: uniform(3).mean(), r"numpy\.add\.reduce"),
        (lambda: np.cumsum(uniform(3)), r"numpy\.cumsum"),
        (lambda: uniform(3).cumsum(), "the sum with another"),
        (lambda: np.sqrt(uniform(3)), r"numpy\.sqrt"),
        (lambda: np.sort(uniform(3)), r"numpy\.sort"),
        (lambda: np.dot(uniform(3), WEIGHTS[:3]), r"numpy\.dot"),
        (lambda: uniform(3) @ WEIGHTS[:3], r"numpy\.matmul"),
        (lambda: np.add.outer(uniform(2), uniform(2)), r"numpy\.add\.outer"),
        (lambda: np.add(uniform(2), 1, where=np.array([True, False])), r"numpy\.add"),
        (lambda: np.multiply(uniform(2), 2.0, out=np.zeros(2)), "into an array of float64, which cannot hold them"),
        (lambda: np.copyto(np.zeros(2), uniform(2)), "into an array of float64, which cannot hold them"),
        (lambda: into(np.zeros(2), uniform(2)), r"float\(\)"),
        (lambda: uniform(3).astype(bool), "a cast of random numbers to bool"),
        (lambda: uniform(3).tobytes(), "the bytes"),
        (lambda: uniform(3).any(), "the truth value|logical_or"),
        (lambda: "yes" if uniform(1) else "no", "the truth value"),
    ],
)
def test_what_has_no_rule_is_refused_by_name(program, name):
    with pytest.raises(Untracked, match=name):
        explore_program(program)


def test_writing_in_place_into_floats_is_refused():
    def program():
        weights = WEIGHTS.copy()
        weights /= noise(4)
        return weights.argmax()

    with pytest.raises(Untracked, match=r"numpy.divide writes random numbers into an array of float64.*weights /= noise"):
        explore_program(program)
