"""Bans on sequences: the token that would complete one cannot come."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from draftproof.sampling.memory import Text
from draftproof.sampling.transform import Scores, Shift, check_vocab


@dataclass(frozen=True)
class NoRepeatNgram(Shift):
    """No sequence of `size` tokens comes twice, those of the prompt included."""

    name: ClassVar[str] = "no_repeat_ngram_size"
    size: int

    @property
    def memory(self) -> Text:
        return Text()

    def apply(self, scores: Scores, states: Sequence[np.ndarray]) -> Scores:
        changed = scores.copy()
        for row, text in zip(changed, states, strict=True):
            if len(text) >= self.size:
                windows = np.lib.stride_tricks.sliding_window_view(text, self.size)
                begun = (windows[:, :-1] == text[len(text) - self.size + 1 :]).all(-1)
                row[windows[begun, -1]] = -np.inf
        return changed


@dataclass(frozen=True)
class BadWords(Shift):
    """None of the sequences may be completed.

    Attributes:
        words: token sequences.
        prompt: whether a sequence may have begun inside the prompt.
    """

    name: ClassVar[str] = "bad_words_ids"
    words: tuple[tuple[int, ...], ...]
    prompt: bool

    @property
    def memory(self) -> Text:
        return Text(prompt=self.prompt, last=max(map(len, self.words)) - 1)

    @cached_property
    def _endings(self) -> dict[int | None, list[tuple[tuple[int, ...], int]]]:
        """By the token before the last: (what must stand before, the last token)."""
        endings: dict[int | None, list[tuple[tuple[int, ...], int]]] = {}
        for *before, last in self.words:
            endings.setdefault(before[-1] if before else None, []).append((tuple(before), last))
        return endings

    def apply(self, scores: Scores, states: Sequence[np.ndarray]) -> Scores:
        check_vocab(self.name, np.array([token for word in self.words for token in word]), scores.shape[1])
        changed = scores.copy()
        for row, text in zip(changed, states, strict=True):
            newest = tuple(text.tolist())
            row[self._banned(newest)] = -np.inf
        return changed

    def _banned(self, newest: tuple[int, ...]) -> list[int]:
        begun = self._endings.get(newest[-1], []) if newest else []
        always = [last for _, last in self._endings.get(None, [])]
        return always + [last for before, last in begun if newest[-len(before) :] == before]
