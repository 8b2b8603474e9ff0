"""Bans on sequences."""

import numpy as np
import pytest

from draftproof.errors import BadRequest
from draftproof.sampling.memory import Text
from draftproof.sampling.sequences import BadWords, NoRepeatNgram


def banned_by_definition(text: list[int], size: int, vocab: int) -> set[int]:
    """A token is banned if it would end a sequence that occurred before."""
    old = {tuple(text[start : start + size]) for start in range(len(text) - size + 1)}
    return {token for token in range(vocab) if len(text) >= size - 1 and (*text[len(text) - size + 1 :], token) in old}


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_no_sequence_comes_twice(size: int) -> None:
    rng = np.random.default_rng(size)
    found = 0
    for _ in range(300):
        text = rng.integers(0, 3, size=rng.integers(0, 12)).tolist()
        row = NoRepeatNgram(size).apply(np.zeros((1, 4)), [Text().start(text)])[0]
        expected = banned_by_definition(text, size, 4)
        assert set(np.flatnonzero(np.isneginf(row)).tolist()) == expected
        found += len(expected)
    assert found > 20


@pytest.mark.parametrize(
    ("text", "banned"), [([], {4}), ([1], {2, 4}), ([0, 1], {2, 3, 4}), ([1, 0], {4}), ([0], {4}), ([2, 0, 1], {2, 3, 4})]
)
def test_a_bad_word_cannot_be_completed(text: list[int], banned: set[int]) -> None:
    rule = BadWords(((4,), (1, 2), (0, 1, 3)), prompt=True)
    state = rule.memory.start(text)
    row = rule.apply(np.zeros((1, 5)), [state])[0]
    assert set(np.flatnonzero(np.isneginf(row)).tolist()) == banned
    assert len(state) <= 2, "no more is remembered than the longest word needs"


def test_where_the_prompt_does_not_count_a_bad_word_begins_after_it() -> None:
    rule = BadWords(((1, 2),), prompt=False)
    state = rule.memory.start([1])
    assert rule.apply(np.zeros((1, 3)), [state])[0].tolist() == [0, 0, 0]
    assert rule.apply(np.zeros((1, 3)), [rule.memory.fold(state, 1, None)])[0].tolist() == [0, 0, -np.inf]


def test_a_token_outside_the_vocabulary_is_refused() -> None:
    rule = BadWords(((1, 9),), prompt=True)
    with pytest.raises(BadRequest, match="bad_words_ids names token 9"):
        rule.apply(np.zeros((1, 3)), [rule.memory.start([])])
