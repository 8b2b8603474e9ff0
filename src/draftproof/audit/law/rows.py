"""The laws along a text that was emitted: what a trusted target, and the draft, say of every place of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from draftproof.carriers import to_float64
from draftproof.models.protocol import Block, Model
from draftproof.sampling.protocol import Sampling
from draftproof.shapes import Array, Shaped

ROWS_AT_ONCE = 2**22
"""Entries of the logits of one pass: 32 MiB in float64."""


class Rows(NamedTuple):
    """The laws at every place of one emitted text, each known before the token at that place.

    Attributes:
        tokens: (tokens,) that were emitted.
        target: (tokens, vocab), the law each should follow.
        draft: (tokens, vocab), the law a draft would be drawn from there; None if it is not known.
        altered: by name, (tokens, vocab): the target's law under other sampling rules.
        settled: (tokens,) where rounding cannot decide which tokens are possible; None if it can nowhere.
    """

    tokens: np.ndarray
    target: Shaped[np.ndarray, "tokens vocab"]
    draft: Shaped[np.ndarray, "tokens vocab"] | None = None
    altered: dict[str, np.ndarray] = {}  # noqa: RUF012  # never changed
    settled: np.ndarray | None = None

    @property
    def probabilities(self) -> Shaped[np.ndarray, " tokens"]:
        """Of each emitted token under the target's law."""
        return self.target[np.arange(len(self.tokens)), self.tokens]


class Text(NamedTuple):
    """A prompt and what followed it."""

    prompt: Sequence[int]
    tokens: Sequence[int]


@dataclass(frozen=True)
class Reference:
    """A trusted copy of the target, with the sampling rules that hold.

    Attributes:
        target: the model.
        params: its sampling rules, as the engine is said to follow them.
        draft: the draft model, or None.
        draft_params: the rules of the draft; those of the target unless they are given.
        altered: by name, other rules for the target's logits, for suspicions such as a rule that is left out.
        tolerance: in nats, how far a logit may be off. Where that decides which tokens a rule cuts, the row is not settled.
    """

    target: Model
    params: Sampling
    draft: Model | None = None
    draft_params: Sampling | None = None
    altered: tuple[tuple[str, Sampling], ...] = ()
    tolerance: float = 0.0

    def rows(self, texts: Sequence[Text]) -> list[Rows]:
        """The laws along each text, as if it had been emitted token by token; nothing is drawn."""
        logits = forced(self.target, texts)
        drafted = forced(self.draft, texts) if self.draft else [None] * len(texts)
        return [self._rows(*each) for each in zip(texts, logits, drafted, strict=True)]

    def _rows(self, text: Text, logits: Array, drafted: Array | None) -> Rows:
        draft = None if drafted is None else laws_along(self.draft_params or self.params, text, drafted)
        altered = {name: laws_along(params, text, logits) for name, params in self.altered}
        target = laws_along(self.params, text, logits)
        settled = self._settled(text, to_float64(logits), target) if self.tolerance and not target.all() else None
        return Rows(np.asarray(text.tokens, np.int64), target, draft, altered, settled)

    def _settled(self, text: Text, logits: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Where the same tokens are possible whichever way the logits are off: the possible ones high, or low, or the likeliest alone."""
        kept, top = target > 0, target == target.max(-1, keepdims=True)
        settled = np.ones(len(target), bool)
        for raised in (kept, ~kept, top):
            moved = laws_along(self.params, text, logits + np.where(raised, self.tolerance, -self.tolerance))
            settled &= ((moved > 0) == kept).all(-1)
        return settled


def laws_along(params: Sampling, text: Text, logits: Shaped[Array, "tokens vocab"]) -> Shaped[np.ndarray, "tokens vocab"]:
    """The laws that sampling rules make of the logits at every place of a text, in float64."""
    if not len(text.tokens):
        return to_float64(logits)
    before = list(text.tokens[:-1])
    laws, _ = params.laws(to_float64(logits), params.start(text.prompt), before, range(len(before)))
    return to_float64(laws)


def forced(model: Model, texts: Sequence[Text]) -> list[Shaped[Array, "tokens vocab"]]:
    """The logits at every place of each text, from an empty cache, many texts a pass."""
    found: list[Array] = [None] * len(texts)
    longest = max((len(text.tokens) for text in texts), default=0)
    batch = max(1, ROWS_AT_ONCE // max(1, longest * model.vocab))
    for start in range(0, len(texts), batch):
        part = [place for place in range(start, min(start + batch, len(texts))) if len(texts[place].tokens)]
        blocks = [Block(texts[n].prompt, list(texts[n].tokens[:-1]), range(len(texts[n].tokens) - 1)) for n in part]
        for place, rows in zip(part, model.extend([model.start() for _ in part], blocks), strict=True):
            found[place] = rows
    return [np.empty((0, model.vocab)) if rows is None else rows for rows in found]
