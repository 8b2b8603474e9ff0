"""How a round is settled: which random numbers the draft, the decision and the token that follows it may share.

`Independent` serves every rule that returns a law: all its draws are independent of each other. `Coupled` is the
opposite by design: draft and target run one race on the same noise at each position. Mixing the two biases the text,
so the choice is made once, here, and hands the drafter its picker.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from draftproof.draws import Address, Draws, Purpose
from draftproof.rules.coupled import coupled as coupled_rule
from draftproof.shapes import Array
from draftproof.types import Draft, Rule, Verdict


@runtime_checkable
class Verification(Protocol):
    """One way to settle a round. A round is named by its start: the length of the context when it began.

    Attributes:
        by_row: True if `verdict` reads the target's laws as `target_probs[row, node]` alone, so that only these need be made.
    """

    @property
    def by_row(self) -> bool: ...

    def pick_draft(self, draws: Draws, law: Array, *, round_start: int, node: int, depth: int) -> int:
        """Draw the token of one node, `depth` tokens after the context, from `law` (vocab,)."""
        ...

    def verdict(self, target_probs: Any, draft: Draft, draws: Sequence[Draws], round_starts: Sequence[int]) -> Verdict:
        """Settle the round of every batch entry.

        Args:
            target_probs: (batch, draft + 1, vocab) the target's law after the path to each node.
        """
        ...


@dataclass(frozen=True)
class Independent:
    """Two draws a round whatever the width: where the kept path ends, and the token after it."""

    rule: Rule
    by_row: ClassVar[bool] = False

    def pick_draft(self, draws: Draws, law: Array, *, round_start: int, node: int, depth: int) -> int:
        return draws.pick(law, Address(round_start, node, Purpose.DRAFT))

    def verdict(self, target_probs: Array, draft: Draft, draws: Sequence[Draws], round_starts: Sequence[int]) -> Verdict:
        law = self.rule(target_probs, draft)

        def pick_rows(rows: Array, purpose: Purpose) -> np.ndarray:
            return np.array([own.pick(row, Address(start, 0, purpose)) for own, row, start in zip(draws, rows, round_starts, strict=True)])

        kept = pick_rows(law.kept, Purpose.KEPT)
        return Verdict(kept, pick_rows(law.correction(kept), Purpose.TOKEN))


@dataclass(frozen=True)
class Coupled:
    """The target's token at each position wins the race there; the draft survives while it drafted that token."""

    by_row: ClassVar[bool] = True

    def pick_draft(self, draws: Draws, law: Array, *, round_start: int, node: int, depth: int) -> int:
        return draws.race(law, round_start + depth - 1)

    def verdict(self, target_probs: Any, draft: Draft, draws: Sequence[Draws], round_starts: Sequence[int]) -> Verdict:
        def choose(row: int, node: int) -> int:
            depth = len(draft.tree.path(node))
            return draws[row].race(target_probs[row, node], round_starts[row] + depth)

        return coupled_rule(choose, draft)
