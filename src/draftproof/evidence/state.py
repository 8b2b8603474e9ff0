"""Evidence of state from one run: a fresh pass over the emitted text, without drafts, gives the same log-probabilities.

A cache that holds a refused token, lacks a kept one or mixes two requests changes the rows that follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from draftproof.carriers import to_float64
from draftproof.evidence.watch import Round
from draftproof.models.protocol import Block, Model
from draftproof.sampling.logprobs import log_softmax
from draftproof.shapes import Array

AT_ONCE = 64
"""Rows of a fresh pass: a row of logits is large."""


@dataclass
class Scores:
    """The log-probability, in nats and before sampling rules, that each emitted token had when it was emitted.

    Attributes:
        rows: by request of the batch; a watch of several batches is not supported.
    """

    rows: list[list[float]] = field(default_factory=list)

    def __call__(self, seen: Round) -> None:
        self.rows += [[] for _ in range(len(seen.logits) - len(self.rows))]
        for row, (kept, token) in enumerate(zip(seen.verdict.kept.tolist(), seen.verdict.token.tolist(), strict=True)):
            path = seen.draft.tree.path(kept)
            tokens = [*(int(seen.draft.tokens[row, node - 1]) for node in path), token]
            fed = [0, *seen.draft.followed(row)]
            for node, emitted in zip((0, *path), tokens, strict=True):
                if node in fed:  # nothing follows the end of a text
                    self.rows[row].append(log_prob(seen.logits[row][fed.index(node)], emitted))


@dataclass(frozen=True)
class Rescored:
    """How far two scores of the same text are apart.

    Attributes:
        tokens: compared.
        worst: the largest difference of a log-probability, in nats.
        exact: True if the target promises rows that are equal to the bit, so that `worst` must be 0.
        tolerance: what rounding can explain otherwise.
    """

    tokens: int
    worst: float
    exact: bool
    tolerance: float = 1e-2

    @property
    def agrees(self) -> bool:
        return self.worst == 0 if self.exact else self.worst <= self.tolerance


def rescore(model: Model, prompt: Sequence[int], emitted: Sequence[int], scores: Sequence[float]) -> Rescored:
    """Score an emitted text anew from an empty cache, and compare."""
    cache, fresh = model.start(), []
    fed = list(prompt)
    for start in range(0, len(emitted), AT_ONCE):
        part = emitted[start : start + AT_ONCE]
        rows = model.extend([cache], [Block(fed, part[:-1], range(len(part) - 1))])[0]
        fresh += [log_prob(row, token) for row, token in zip(rows, part, strict=True)]
        fed = [part[-1]]
    worst = max((abs(one - two) for one, two in zip(fresh, scores[: len(emitted)], strict=True)), default=0.0)
    return Rescored(len(emitted), worst, bool(getattr(model, "row_invariant", False)))


def log_prob(logits: Array, token: int) -> float:
    """In nats, of one row of logits."""
    return float(log_softmax(to_float64(logits))[token])
