"""Greedy text along itself: a near tie is counted once, and a gap is named with its place."""

import numpy as np
import pytest

from draftproof.audit.law.rows import Text
from draftproof.audit.state.greedy_text import Difference, greedy, judge_greedy
from draftproof.models.table import TableModel
from draftproof.sampling.params import SamplingParams

VOCAB = 4


class Logits:
    """A table whose rows, as logits, have gaps of whole nats: token 3 always, then 2, 1, 0; but after token 2 a near tie of 3 and 0."""

    vocab = VOCAB

    def __init__(self) -> None:
        self.rows = np.tile(np.arange(VOCAB, dtype=float), (VOCAB, VOCAB, 1))
        self.rows[:, 2, 0] = 3 - 1e-3
        laws = np.exp(self.rows)
        self.table = TableModel(laws / laws.sum(-1, keepdims=True))

    def start(self):  # type: ignore[no-untyped-def]
        return self.table.start()

    def extend(self, caches, blocks):  # type: ignore[no-untyped-def]
        return [np.log(rows) for rows in self.table.extend(caches, blocks)]


def judge(tokens: tuple[int, ...], *, tolerance: float = 0.01, params: SamplingParams | None = None):  # type: ignore[no-untyped-def]
    return judge_greedy(Logits(), params or SamplingParams(), [Text((1, 2), tokens)], tolerance=tolerance)


def test_the_likeliest_tokens_agree() -> None:
    found = judge((3, 3, 3))
    assert found.places == 3
    assert found.differences == ()
    assert found.close == 1


def test_a_near_tie_counts_once_however_different_the_text_after_it() -> None:
    found = judge((0, 3, 3))
    assert len(found.near_ties) == 1
    assert found.wrong == ()
    assert judge((0, 3, 3), tolerance=0).wrong[0].place == 0


def test_a_gap_is_told_with_its_place_and_both_tokens() -> None:
    found = judge((3, 1, 3))
    assert found.wrong == (Difference(0, 1, 1, 3, pytest.approx(2.0)),)


def test_a_banned_token_is_infinitely_wrong() -> None:
    found = judge((0,), params=SamplingParams(logit_bias={0: -np.inf}))
    assert found.wrong[0].gap == np.inf


def test_an_empty_text_has_no_places() -> None:
    assert judge(()).places == 0


def test_greedy_rules_keep_penalties_and_bans_and_drop_cuts() -> None:
    rules = greedy(SamplingParams(temperature=0.7, top_k=5, top_p=0.9, repetition_penalty=1.3, logit_bias={1: -np.inf}))
    assert rules == SamplingParams(temperature=0, repetition_penalty=1.3, logit_bias={1: -np.inf})
