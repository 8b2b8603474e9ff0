"""What a rule keeps of a draft, known two ways: before a token is seen, and once it is."""

import numpy as np
import pytest

from draftproof.audit.acceptance.drafting import KEPT, KEPT_GIVEN, Drafting
from draftproof.audit.law.rows import Rows
from draftproof.errors import BadRequest

VOCAB = 5
TARGET, DRAFT = (np.random.default_rng(seed).dirichlet(np.ones(VOCAB), size=1) for seed in (0, 1))


def rows(token: int = 0) -> Rows:
    return Rows(np.array([token]), TARGET, DRAFT)


@pytest.mark.parametrize("likeliest", [False, True])
@pytest.mark.parametrize("rule", KEPT_GIVEN)
def test_over_all_tokens_the_two_are_the_same(rule: str, likeliest: bool) -> None:
    drafting = Drafting(2, rule, likeliest=likeliest)
    given = [drafting.kept_given(rows(token)) for token in range(VOCAB)]
    assert sum(TARGET[0, token] * chance[0] for token, chance in enumerate(given)) == pytest.approx(drafting.predicted(rows())[0])


@pytest.mark.parametrize("likeliest", [False, True])
@pytest.mark.parametrize("rule", KEPT)
def test_no_exact_rule_keeps_more_than_the_ceiling(rule: str, likeliest: bool) -> None:
    drafting = Drafting(2, rule, likeliest=likeliest)
    assert drafting.predicted(rows())[0] <= drafting.ceilings(rows())[0] + 1e-12
    if likeliest:
        assert drafting.ceilings(rows())[0] == pytest.approx(TARGET[0, DRAFT[0].argmax()])


def test_without_a_rule_nothing_is_predicted() -> None:
    assert np.isnan(Drafting(2).predicted(rows())).all()
    assert Drafting(2).kept_given(rows()) is None
    assert Drafting(2, "coupled").kept_given(rows()) is None


def test_single_tokens_and_known_rules_are_settled_token_by_token() -> None:
    assert Drafting(1).token_by_token
    assert Drafting(3, "match").token_by_token
    assert not Drafting(3).token_by_token


def test_a_token_that_the_target_forbids_was_no_kept_draft() -> None:
    target = np.array([[0.0, 1.0]])
    found = Rows(np.array([0]), target, np.array([[0.5, 0.5]]))
    assert Drafting(1, "rejection").kept_given(found) == pytest.approx([0.0])


@pytest.mark.parametrize(("width", "rule"), [(0, None), (3, "block"), (3, "nonsense")])
def test_drafts_of_which_nothing_is_known_are_refused(width: int, rule: str | None) -> None:
    with pytest.raises(BadRequest):
        Drafting(width, rule)
