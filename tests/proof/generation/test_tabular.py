"""A table as a model of transformers: it follows its table, and it reads its cache."""

from dataclasses import replace

import pytest
import torch

from draftproof.proof.decoders.fixture import expected_law
from draftproof.proof.decoders.standard import family
from draftproof.proof.foreign import explore_program
from draftproof.proof.generation.calls import Calls
from draftproof.proof.generation.configuration import Configuration
from draftproof.proof.generation.tabular import tabular
from draftproof.proof.laws import compare

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def test_plain_sampling_follows_the_table_up_to_the_rounding_of_float32() -> None:
    calls = Calls.of(Configuration("two tokens", prompt=(0, 1), length=2))
    fixture = replace(family("loop")[0], prompt=(0, 1), length=2)
    difference = compare(explore_program(calls.plain).law, expected_law(fixture))
    assert 0 < difference.distance < 1e-6


def test_the_answer_depends_on_what_the_cache_holds_not_on_what_was_fed() -> None:
    model = tabular(family("loop")[0].target)
    with torch.no_grad():
        first = model(input_ids=torch.tensor([[0, 1]]), use_cache=True)
        right = model(input_ids=torch.tensor([[2]]), cache=first.cache).logits
        first.cache.crop(-1)
        first.cache.layers[0].keys[..., -1, 0] = 0.0  # a cache that holds another token than was fed
        wrong = model(input_ids=torch.tensor([[2]]), cache=first.cache).logits
    assert not torch.equal(right, wrong)
    assert torch.equal(wrong[0, 0], model.table[0, 2])
