"""Mirostat follows the text: the state after each token, and the cut it makes."""

import math

import numpy as np
import pytest

from draftproof.sampling.chain import Chain
from draftproof.sampling.mirostat import Mirostat, Surprise

LAW = np.array([0.5, 0.25, 0.125, 0.125])


def test_the_state_moves_by_the_surprise_of_the_emitted_token() -> None:
    memory = Surprise(2.0, 0.5)
    start = memory.start([1, 2])
    assert start == 4
    assert memory.fold(start, 0, LAW) == 4 - 0.5 * (1 - 2)
    assert memory.fold(start, 3, LAW) == 4 - 0.5 * (3 - 2)


def test_tokens_more_surprising_than_the_state_go() -> None:
    keep = Mirostat(Surprise(2.0, 0.5)).keep(np.log(np.stack([LAW] * 3)), [2.5, 1.5, 0.5])
    assert keep.tolist() == [[True, True, False, False], [True, False, False, False], [True, False, False, False]]


def test_a_block_has_the_laws_of_one_token_at_a_time() -> None:
    rng = np.random.default_rng(0)
    chain = Chain((Mirostat(Surprise(1.5, 0.7)),))
    logits = rng.normal(size=(6, 9), scale=2)
    drafted, parents = [], []
    prefix = chain.start([0])
    laws = [chain.law(logits[0], prefix)]
    for row in range(5):
        token = int(laws[row].argmax())
        drafted.append(token)
        parents.append(row)
        prefix = chain.fold(prefix, token, laws[row])
        laws.append(chain.law(logits[row + 1], prefix))
    block, prefixes = chain.laws(logits, chain.start([0]), drafted, parents)
    assert np.array_equal(block, np.stack(laws))
    assert prefixes[-1] == prefix
    fixed = np.stack([chain.law(row, chain.start([0])) for row in logits])
    assert not np.array_equal(block > 0, fixed > 0), "the state never mattered"


def test_a_token_that_the_law_forbids_leaves_a_state_that_allows_one_token() -> None:
    memory = Surprise(2.0, 0.5)
    state = memory.fold(memory.start([]), 0, np.array([0.0, 1.0]))
    assert state == -math.inf
    assert Mirostat(memory).keep(np.log(LAW)[None], [state]).sum() == 1


def test_a_fold_without_a_law_is_our_own_mistake() -> None:
    with pytest.raises(AssertionError, match="given them"):
        Surprise(2.0, 0.5).fold(4.0, 0, None)
