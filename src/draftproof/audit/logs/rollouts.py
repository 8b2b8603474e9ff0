"""Rollouts: two log-probabilities of every emitted token, by the engine's account and under a reference that is trusted.

Of a token y the engine's law mu gives log mu(y) and the reference pi gives log pi(y), both given all tokens before it. Their difference
d = log pi(y) - log mu(y) is the logarithm of an importance weight; summed over a text it is that of the text's weight.

A token is impossible under a law that gives it a probability below the smallest positive float64, about exp(-745). Servers whose format has
no -Infinity write numbers such as -9999.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from draftproof.audit.logs.record import ROUNDING, Record
from draftproof.errors import BadRequest
from draftproof.shapes import Shaped

# The constructor takes any sequences of numbers and says what is wrong in its own words, so these are not checked twice when tests run.
if TYPE_CHECKING:
    Rows = Sequence[np.ndarray]
else:
    Rows = Any


@dataclass(frozen=True, eq=False)
class Rollouts:
    """Two log-probabilities, in nats, of each emitted token of each text.

    Attributes:
        engine: log mu, an array (tokens,) a text; a text may be empty.
        reference: log pi, alike.

    Raises:
        BadRequest: the two differ in shape, or hold what is no log-probability.
    """

    engine: Rows
    reference: Rows

    def __post_init__(self) -> None:
        if len(self.engine) != len(self.reference):
            raise BadRequest(f"the engine has {len(self.engine)} texts and the reference {len(self.reference)}; give both of each")
        for name in ("engine", "reference"):
            object.__setattr__(self, name, tuple(_row(row, f"{name}, text {text}") for text, row in enumerate(getattr(self, name))))
        for text, (one, other) in enumerate(zip(self.engine, self.reference, strict=True)):
            if len(one) != len(other):
                raise BadRequest(f"text {text} has {len(one)} log-probabilities of the engine, but {len(other)} of the reference")

    @classmethod
    def of(cls, records: Iterable[Record]) -> "Rollouts":
        """What records hold that have both.

        Raises:
            BadRequest: a record lacks one of the two.
        """
        rows: dict[str, list[np.ndarray]] = {"log_probs": [], "reference_log_probs": []}
        for place, record in enumerate(records, start=1):
            for name, row in rows.items():
                found = getattr(record, name)
                if found is None:
                    raise BadRequest(f"record {place} has no {name}; give them, or score its tokens with a model first")
                row.append(np.array(found, dtype=np.float64))
        return cls(rows["log_probs"], rows["reference_log_probs"])

    @cached_property
    def lengths(self) -> Shaped[np.ndarray, " all_texts"]:
        """Tokens of each text."""
        return np.array([len(row) for row in self.engine], dtype=np.int64)

    @cached_property
    def owner(self) -> Shaped[np.ndarray, " tokens"]:
        """The text of each token, all texts in one row."""
        return np.repeat(np.arange(len(self.engine)), self.lengths)

    @cached_property
    def impossible_engine(self) -> Shaped[np.ndarray, " tokens"]:
        """Where a token was emitted that the engine itself calls impossible."""
        return _impossible(_joined(self.engine))

    @cached_property
    def impossible_reference(self) -> Shaped[np.ndarray, " tokens"]:
        """Where a token was emitted that is impossible under the reference."""
        return _impossible(_joined(self.reference))

    @cached_property
    def possible(self) -> Shaped[np.ndarray, " tokens"]:
        """Where a token is possible under both, so that d is a number."""
        return ~self.impossible_engine & ~self.impossible_reference

    @cached_property
    def log_weights(self) -> Shaped[np.ndarray, " possible"]:
        """d of each possible token."""
        return _joined(self.reference)[self.possible] - _joined(self.engine)[self.possible]

    @cached_property
    def owners(self) -> Shaped[np.ndarray, " possible"]:
        """The text of each possible token."""
        return self.owner[self.possible]

    @cached_property
    def sequence_log_weights(self) -> Shaped[np.ndarray, " texts"]:
        """The sum of d of each text that has tokens, none of them impossible."""
        return np.bincount(self.owners, self.log_weights, len(self.engine))[self._whole].astype(np.float64)  # integers, of no tokens

    @cached_property
    def sequence_lengths(self) -> Shaped[np.ndarray, " texts"]:
        """Tokens of the same texts."""
        return self.lengths[self._whole]

    @cached_property
    def _whole(self) -> Shaped[np.ndarray, " all_texts"]:
        return (self.lengths > 0) & (np.bincount(self.owners, minlength=len(self.engine)) == self.lengths)


class Counts(NamedTuple):
    """What the figures rest on, and what was left out of them.

    Attributes:
        tokens, sequences: all there are.
        empty: texts without tokens.
        impossible_engine: emitted tokens that the engine itself calls impossible: its log-probabilities are not those of its tokens.
        impossible_reference: emitted tokens that the reference forbids.
        sequences_left_out: texts with a token that is impossible under either; whole texts only, their other tokens count.
    """

    tokens: int
    sequences: int
    empty: int
    impossible_engine: int
    impossible_reference: int
    sequences_left_out: int


def counts(rollouts: Rollouts) -> Counts:
    """How much there is, and how much of it has no place in a mean."""
    empty = int((rollouts.lengths == 0).sum())
    return Counts(
        tokens=len(rollouts.owner),
        sequences=len(rollouts.engine),
        empty=empty,
        impossible_engine=int(rollouts.impossible_engine.sum()),
        impossible_reference=int(rollouts.impossible_reference.sum()),
        sequences_left_out=len(rollouts.engine) - empty - len(rollouts.sequence_lengths),
    )


def _row(found: Any, where: str) -> np.ndarray:
    row = np.array(found, dtype=np.float64)
    if row.ndim != 1:
        raise BadRequest(f"{where} has shape {row.shape}; give one log-probability for each emitted token")
    wrong = np.flatnonzero(~(row <= ROUNDING))
    if len(wrong):
        raise BadRequest(f"{where}, token {wrong[0]} is {row[wrong[0]]}; it must be the logarithm of a probability, a number of at most 0")
    row = np.minimum(row, 0.0)
    row.flags.writeable = False
    return row


def _joined(rows: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0), *rows])


def _impossible(log_probs: np.ndarray) -> np.ndarray:
    return np.exp(log_probs) == 0
