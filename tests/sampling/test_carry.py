"""Every kind of array gets the same law."""

import numpy as np
import pytest
import torch

from draftproof.sampling.params import SamplingParams

PARAMS = SamplingParams(temperature=0.7, top_k=20, top_p=0.9, repetition_penalty=1.2, eos_token_id=0, min_new_tokens=2)
ROWS = np.random.default_rng(0).normal(size=(3, 500), scale=2).astype(np.float32)


def laws(rows: object) -> object:
    return PARAMS.laws(rows, PARAMS.start([1, 2]), [3, 4], [0, 1])[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tensor_gets_the_law_of_the_array_to_the_bit(dtype: type) -> None:
    rows = ROWS.astype(dtype)
    found = laws(torch.tensor(rows))
    assert isinstance(found, torch.Tensor)
    assert np.array_equal(found.numpy(), laws(rows))
    assert laws(rows).dtype == dtype


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_widened_without_loss(dtype: torch.dtype) -> None:
    half = torch.tensor(ROWS).to(dtype)
    assert laws(half).dtype == torch.float32
    assert torch.equal(laws(half), laws(half.float()))


def test_half_precision_arrays_and_whole_numbers() -> None:
    assert laws(ROWS.astype(np.float16)).dtype == np.float32
    whole = np.arange(1500).reshape(3, 500) % 7
    assert np.array_equal(laws(whole), laws(whole.astype(np.float64)))
    assert torch.equal(laws(torch.tensor(whole)), torch.tensor(laws(whole.astype(np.float64))))


def test_both_precisions_agree() -> None:
    assert np.allclose(laws(ROWS), laws(ROWS.astype(np.float64)), atol=1e-6)


def test_a_tensor_that_learns_or_is_a_view() -> None:
    rows = torch.tensor(ROWS, requires_grad=True)
    assert torch.equal(laws(rows), laws(torch.tensor(ROWS)))
    wide = torch.tensor(np.repeat(ROWS, 2, axis=1))
    assert torch.equal(laws(wide[:, ::2]), laws(torch.tensor(ROWS)))


def test_one_row_of_a_tensor() -> None:
    prefix = PARAMS.start([1, 2])
    assert np.array_equal(PARAMS.law(torch.tensor(ROWS[0]), prefix).numpy(), PARAMS.law(ROWS[0], prefix))
