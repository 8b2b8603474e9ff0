"""Every suspect is a law, made of what is known before the token."""

import numpy as np
import pytest

from draftproof.audit.law.rows import Rows
from draftproof.audit.law.suspects import (
    OF_DRAFT,
    OF_TARGET,
    Suspect,
    draft_leakage,
    dropped,
    forbidden,
    full_fallback,
    lenient,
    likeliest,
    powered,
    row_before,
    suspects,
    uniform,
    without,
)
from draftproof.proof.zoo.member import MECHANISMS
from draftproof.rules.greedy import greedy_law
from draftproof.sampling.params import SamplingParams

P, Q = np.array([[0.5, 0.3, 0.2], [0.0, 0.5, 0.5]]), np.array([[0.1, 0.6, 0.3], [0.0, 0.25, 0.75]])
ROWS = Rows(np.array([0, 1]), P, Q)


@pytest.mark.parametrize("suspect", suspects(draft=True), ids=lambda suspect: suspect.name)
def test_it_is_a_law_at_every_place_and_blind_to_what_was_emitted(suspect: Suspect) -> None:
    random = np.random.default_rng(0)
    rows = Rows(np.array([1, 0, 3, 2]), *random.dirichlet(np.ones(5), size=(2, 4)))
    law = suspect.law(rows)
    assert (law >= 0).all()
    np.testing.assert_allclose(law.sum(-1), 1)
    np.testing.assert_array_equal(law, suspect.law(rows._replace(tokens=np.array([4, 4, 4, 4]))))
    assert suspect.mechanism in MECHANISMS
    assert suspect.says


def test_laws_worked_by_hand() -> None:
    np.testing.assert_array_equal(draft_leakage(ROWS), Q)
    # min(p, q) = (.1, .3, .2), and the rest of .4 from p
    np.testing.assert_allclose(full_fallback(ROWS)[0], [0.1 + 0.4 * 0.5, 0.3 + 0.4 * 0.3, 0.2 + 0.4 * 0.2])
    # min(q, 2 p) = (.1, .6, .3): all is kept
    np.testing.assert_allclose(lenient(ROWS)[0], Q[0])
    # min(q, 2 p) = q, again
    np.testing.assert_allclose(lenient(ROWS)[1], Q[1])
    np.testing.assert_allclose(likeliest(ROWS), [[1, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(uniform(ROWS), 1 / 3)
    np.testing.assert_array_equal(row_before(ROWS), P[[0, 0]])
    np.testing.assert_allclose(powered(2.0)(ROWS)[0], np.array([0.25, 0.09, 0.04]) / 0.38)
    np.testing.assert_allclose(forbidden(ROWS), [[0.5, 0.3, 0.2], [0.001, 0.4995, 0.4995]])
    np.testing.assert_array_equal(greedy_law(np.array([[0.4, 0.4, 0.2]])), [[1, 0, 0]])


def test_what_is_missing_of_a_lenient_acceptance_comes_from_the_residual() -> None:
    rows = Rows(np.array([0]), np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]]))
    np.testing.assert_allclose(lenient(rows), [[0.8, 0.2]])  # kept (.2, .2), the residual is sure of the first token


def test_an_empty_text_has_no_row_before() -> None:
    assert row_before(Rows(np.array([], np.int64), np.empty((0, 3)))).shape == (0, 3)


def test_a_fault_of_drafts_is_suspected_only_where_their_law_is_known() -> None:
    assert suspects(draft=False) == OF_TARGET
    assert suspects(draft=True) == (*OF_DRAFT, *OF_TARGET)
    assert [suspect.name for suspect in suspects(draft=False, altered=("without top_k",))][-1] == "without top_k"


def test_each_rule_in_force_may_have_been_dropped() -> None:
    params = SamplingParams(dialect="llamacpp", temperature=0.5, top_k=3, repetition_penalty=1.2, penalty_last_n=4)
    found = dict(dropped(params))
    assert set(found) == {"without temperature", "without top_k", "without repetition_penalty"}
    assert found["without top_k"].top_k == 0
    assert found["without temperature"].temperature == 1
    assert found["without temperature"].penalty_last_n == 4
    assert found["without repetition_penalty"].repetition_penalty == 1
    assert not dropped(SamplingParams())


def test_nothing_is_left_out_of_greedy_decoding_by_its_temperature() -> None:
    assert not dropped(SamplingParams(temperature=0))


def test_a_dropped_rule_is_a_law_of_its_own() -> None:
    suspect = without("without top_k")
    assert suspect.law(ROWS._replace(altered={"without top_k": Q})) is Q
    assert suspect.mechanism == "M2"


@pytest.mark.parametrize("suspect", suspects(draft=True), ids=lambda suspect: suspect.name)
def test_no_token_has_a_negative_probability_where_rounding_leaves_a_sum_above_one(suspect: Suspect) -> None:
    """A draft that is the target without its last tokens is kept whole, and sums of floats stray to both sides of 1."""
    target = np.random.default_rng(0).dirichlet(np.ones(50), size=400)
    draft = target * (np.arange(50) < 40)
    rows = Rows(np.zeros(400, np.int64), target, draft / draft.sum(-1, keepdims=True))
    assert (suspect.law(rows) >= 0).all()
