"""States are values, and a fold gives what a fresh start would."""

from typing import Any

import numpy as np
import pytest

from draftproof.sampling.memory import Counts, Length, Memory, Nothing, Seen, Text
from draftproof.sampling.mirostat import Surprise

MEMORIES = [Nothing(), Length(), Text(), Text(prompt=False), Text(last=3), Text(last=0), Counts(True), Counts(False), Counts(True, 4)]


def same(one: Any, other: Any) -> bool:
    pairs = zip(one, other, strict=True) if isinstance(one, Seen) else [(one, other)]
    return all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("memory", MEMORIES, ids=str)
def test_a_fold_leaves_the_old_state_as_it_was(memory: Memory) -> None:
    tokens = [3, 1, 3, 2, 0, 3, 1]
    states, copies = [memory.start([1, 1, 2])], [memory.start([1, 1, 2])]
    for token in tokens:
        states.append(memory.fold(states[-1], token, None))
        copies.append(memory.fold(copies[-1], token, None))
        memory.fold(states[-2], 9, None)
    assert all(same(one, other) for one, other in zip(states, copies, strict=True))


@pytest.mark.parametrize("memory", [Text(), Text(last=3), Counts(True), Counts(True, 4)], ids=str)
def test_where_the_prompt_counts_it_does_not_matter_where_it_ends(memory: Memory) -> None:
    tokens = [3, 1, 3, 2, 0, 3, 1]
    for end in range(len(tokens) + 1):
        state = memory.start(tokens[:end])
        for token in tokens[end:]:
            state = memory.fold(state, token, None)
        assert same(state, memory.start(tokens))


def test_where_the_prompt_does_not_count_only_emitted_tokens_are_held() -> None:
    assert Text(prompt=False).start([1, 2]).tolist() == []
    assert Counts(False).start([1, 2]).ids.tolist() == []
    assert Counts(False, 2).fold(Counts(False, 2).start([1, 2]), 2, None).counts.tolist() == [1]
    assert Length().fold(Length().start([1, 2]), 5, None) == 1


def test_a_window_forgets_the_oldest_token() -> None:
    state = Counts(True, 3).start([7, 7, 5])
    state = Counts(True, 3).fold(state, 6, None)
    assert (state.ids.tolist(), state.counts.tolist()) == ([5, 6, 7], [1, 1, 1])


def test_only_the_running_surprise_reads_the_law() -> None:
    assert [type(memory) for memory in [*MEMORIES, Surprise(5, 0.1)] if memory.uses_law] == [Surprise]
