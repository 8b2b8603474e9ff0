"""Tests that everyone knows: they agree with the target's law, and each has a fault that it sees."""

import numpy as np
import pytest
from scipy import stats

from draftproof.audit.law.opinions import Opinions, transformed
from draftproof.audit.law.rows import Rows, Text

VOCAB = 6


def opinions(share: float, *, count: int = 400, length: int = 5, draft: bool = True, repeat: bool = False) -> Opinions:
    random, found = np.random.default_rng(1), Opinions()
    tables = np.random.default_rng(2).dirichlet(np.ones(VOCAB), size=(2, 3, length))
    for number in range(count):
        p, q = tables[:, number % 3]
        uniform = random.random((length, 1)).repeat(1, -1)
        if repeat:
            uniform[:] = uniform[0]
        tokens = (((1 - share) * p + share * q).cumsum(-1) < uniform).sum(-1).clip(max=VOCAB - 1)
        found.add(Text((number % 3,), tokens.tolist()), Rows(tokens, p, q if draft else None))
    return found


@pytest.mark.parametrize("draft", [True, False])
def test_they_agree_with_the_target_itself(draft: bool) -> None:
    found = opinions(0.0, draft=draft)
    assert min(found.uniformity(), found.independence(), found.first_tokens()) > 0.01


@pytest.mark.parametrize("draft", [True, False])
def test_a_leak_is_seen(draft: bool) -> None:
    found = opinions(0.5, draft=draft)
    assert found.first_tokens() < 1e-6
    if draft:  # without the order that the draft gives, a leak moves numbers both ways
        assert found.uniformity() < 1e-6


def test_one_number_for_all_tokens_of_a_text_is_seen() -> None:
    """Each token follows its law; neighbours do not follow theirs."""
    found = opinions(0.0, draft=False, repeat=True)
    assert found.independence() < 1e-6


def test_a_token_that_the_target_forbids_is_seen_at_once() -> None:
    found = Opinions()
    found.add(Text((0,), [2]), Rows(np.array([2]), np.array([[0.5, 0.5, 0.0]])))
    assert found.first_tokens() == 0


def test_nothing_is_said_of_nothing() -> None:
    assert (Opinions().uniformity(), Opinions().independence(), Opinions().first_tokens()) == (1.0, 1.0, 1.0)


def test_first_tokens_are_pearsons_test() -> None:
    found, counts = Opinions(), [30, 50, 20]
    for token, count in enumerate(counts):
        for _ in range(count):
            found.add(Text((0,), [token]), Rows(np.array([token]), np.array([[0.4, 0.4, 0.2]])))
    assert found.first_tokens() == pytest.approx(stats.chisquare(counts, [40, 40, 20]).pvalue)


def test_cells_that_expect_little_are_pooled() -> None:
    """Two that expect one each, with the one of eight that makes them large enough."""
    found, law = Opinions(), np.array([[0.9, 0.08, 0.01, 0.01]])
    for token, count in enumerate([85, 10, 3, 2]):
        for _ in range(count):
            found.add(Text((0,), [token]), Rows(np.array([token]), law))
    assert found.first_tokens() == pytest.approx(stats.chisquare([85, 15], [90, 10]).pvalue)


def test_the_transform_worked_by_hand() -> None:
    """The draft makes token 1 likelier, then 2, then 0; so before token 2 stands the mass of token 1."""
    p, q = np.array([[0.5, 0.3, 0.2]]), np.array([[0.1, 0.6, 0.3]])
    assert transformed(Rows(np.array([2]), p, q), np.array([0.25])) == pytest.approx([0.3 + 0.25 * 0.2])
    assert transformed(Rows(np.array([2]), p), np.array([0.25])) == pytest.approx([0.8 + 0.25 * 0.2])
    assert transformed(Rows(np.array([1]), np.full((1, 3), 1 / 3), np.full((1, 3), 1 / 3)), np.array([0.0])) == pytest.approx([1 / 3])
