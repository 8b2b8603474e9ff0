"""Rollouts: what the two log-probabilities of a token make of it and of its text."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from draftproof.audit.logs.record import Record
from draftproof.audit.logs.rollouts import Counts, Rollouts, counts
from draftproof.errors import BadRequest
from draftproof.sampling.params import SamplingParams

MIXED = Rollouts(
    engine=[[-1.0, -2.0], [], [-1.0, -inf, -3.0], [-0.5], [-9999.0, -0.25]],
    reference=[[-1.5, -1.0], [], [-1.0, -2.0, -1.0], [-9999.0], [-inf, -0.5]],
)


def record(**fields: Any) -> Record:
    return Record(**{"prompt_ids": (1,), "output_ids": (2, 3), "params": SamplingParams(), **fields})


def test_records_become_rollouts() -> None:
    both = {"log_probs": (-1.0, -2.0), "reference_log_probs": (-1.5, -2.5)}
    rollouts = Rollouts.of([record(**both), record(output_ids=(), log_probs=(), reference_log_probs=())])
    assert [row.tolist() for row in rollouts.engine] == [[-1.0, -2.0], []]
    assert [row.tolist() for row in rollouts.reference] == [[-1.5, -2.5], []]


@pytest.mark.parametrize("name", ["log_probs", "reference_log_probs"])
def test_a_record_without_one_of_the_two_is_named(name: str) -> None:
    both = {"log_probs": (-1.0, -2.0), "reference_log_probs": (-1.5, -2.5)}
    with pytest.raises(BadRequest, match=f"^record 2 has no {name}; give them, or score its tokens"):
        Rollouts.of([record(**both), record(**{**both, name: None})])


def test_tokens_that_are_impossible_under_either_have_no_weight() -> None:
    assert MIXED.owner.tolist() == [0, 0, 2, 2, 2, 3, 4, 4]
    assert np.flatnonzero(MIXED.impossible_engine).tolist() == [3, 6]
    assert np.flatnonzero(MIXED.impossible_reference).tolist() == [5, 6]
    assert MIXED.log_weights.tolist() == [-0.5, 1.0, 0.0, 2.0, -0.25]
    assert MIXED.owners.tolist() == [0, 0, 2, 2, 4]


def test_only_texts_whose_tokens_are_all_possible_are_weighed_as_wholes() -> None:
    assert MIXED.sequence_log_weights.tolist() == [0.5]
    assert MIXED.sequence_lengths.tolist() == [2]
    assert counts(MIXED) == Counts(tokens=8, sequences=5, empty=1, impossible_engine=2, impossible_reference=2, sequences_left_out=3)


@pytest.mark.parametrize("texts", [[], [[]], [[], []]], ids=["no text", "an empty text", "two empty texts"])
def test_there_may_be_nothing(texts: list[list[float]]) -> None:
    rollouts = Rollouts(texts, texts)
    assert counts(rollouts) == Counts(0, len(texts), len(texts), 0, 0, 0)
    assert len(rollouts.sequence_log_weights) == len(rollouts.log_weights) == 0


def test_a_little_above_zero_is_zero() -> None:
    assert Rollouts([[1e-7]], [[-1.0]]).engine[0].tolist() == [0.0]


def test_rollouts_stay_as_they_were_made() -> None:
    row = np.array([-1.0])
    rollouts = Rollouts([row], [row])
    row[0] = 5.0
    assert rollouts.engine[0].tolist() == [-1.0]
    with pytest.raises(ValueError, match="read-only"):
        rollouts.engine[0][0] = 5.0


@pytest.mark.parametrize(
    ("engine", "reference", "says"),
    [
        ([[-1.0]], [], "the engine has 1 texts and the reference 0; give both of each"),
        ([[-1.0], [-1.0]], [[-1.0], [-1.0, -2.0]], "text 1 has 1 log-probabilities of the engine, but 2 of the reference"),
        ([[-1.0, nan]], [[-1.0, -1.0]], "engine, text 0, token 1 is nan; it must be the logarithm of a probability"),
        ([[-1.0, -1.0]], [[-1.0, inf]], "reference, text 0, token 1 is inf; it must be the logarithm of a probability"),
        ([[0.9]], [[-1.0]], "engine, text 0, token 0 is 0.9; it must be the logarithm of a probability"),
        ([[[-1.0]]], [[-1.0]], r"engine, text 0 has shape \(1, 1\); give one log-probability for each emitted token"),
        ([-1.0], [-1.0], r"engine, text 0 has shape \(\); give one log-probability for each emitted token"),
    ],
)
def test_what_cannot_be_rollouts_is_refused(engine: Any, reference: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        Rollouts(engine, reference)
