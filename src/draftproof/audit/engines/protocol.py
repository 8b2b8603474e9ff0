"""What an audit asks of a running engine, and what it may learn of the answer.

Only emitted tokens count as evidence of law. Where a round began, how a stream was cut into pieces and which answer came first
may depend on the tokens themselves, so they never do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np

from draftproof.sampling.params import SamplingParams


class Tier(StrEnum):
    """How much an engine shows of itself; each tier sees all that the later ones see."""

    ROWS = "A"
    """The rows of target and draft, and every decision."""
    LAWS = "B"
    """Token ids, and the law each was sampled from."""
    TOKENS = "C"
    """Token ids; a trusted copy of the target scores them."""
    TEXT = "D"
    """Text alone; the engine is compared with itself, drafts off."""


TIERS = {
    Tier.ROWS: "rows of target and draft, and every decision",
    Tier.LAWS: "token ids, and the law each was sampled from",
    Tier.TOKENS: "token ids, scored with a trusted copy of the target",
    Tier.TEXT: "text alone, compared with the engine's own text without drafts",
}


@dataclass(frozen=True)
class Ask:
    """One request.

    Attributes:
        number: its place in the audit; answers are judged in this order, whenever they come.
        prompt: token ids.
        params: the sampling rules, in the engine's own dialect.
        length: tokens to emit, fixed beforehand. An end of text does not end the answer, where the engine can go on.
        seed: of this request; None leaves the randomness to the engine.
        text: the prompt as text, for engines that take no ids.
        laws: tell the law of every token too, where the engine can.
    """

    number: int
    prompt: tuple[int, ...]
    params: SamplingParams
    length: int
    seed: int | None = None
    text: str = ""
    laws: bool = False


@dataclass(frozen=True)
class Answer:
    """What came of one request.

    Attributes:
        number: of the request.
        tokens: what was received, at most `length` of it, whole or not.
        text: what was received, where the engine gives text.
        drafted, accepted: the engine's own counters for this request; None where it has none.
        rounds: (drafted, accepted) of every round, in order; None where it is not told.
        laws: (tokens, vocab), the law each token was sampled from, by the engine's own account; None where it is not told.
        log_probs: of the emitted tokens, by the engine's own account; None where it is not told.
        lost: why less than `length` tokens came, if the engine did not end the text itself; empty otherwise.
    """

    number: int
    tokens: tuple[int, ...]
    text: str = ""
    drafted: int | None = None
    accepted: int | None = None
    rounds: tuple[tuple[int, int], ...] | None = None
    laws: np.ndarray | None = None
    log_probs: tuple[float, ...] | None = None
    lost: str = ""


@dataclass(frozen=True)
class Facts:
    """What an engine says of itself.

    Attributes:
        name: with its version.
        tier: what it shows.
        drafts: how its drafts are configured; empty if it drafts nothing.
        ends: token ids that end an answer early; none if the engine goes on after an end of text.
        settings: whatever else of it a reader needs to run it again.
    """

    name: str
    tier: Tier
    drafts: str = ""
    ends: frozenset[int] = frozenset()
    settings: dict[str, str] = field(default_factory=dict)


@runtime_checkable
class Audited(Protocol):
    """A running engine. It is used as a context manager: leaving it stops what was started."""

    @property
    def facts(self) -> Facts: ...

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        """Answer all, as many side by side as the engine does, in any order.

        An answer that is lost while the engine lives is an `Answer` with `lost`.

        Raises:
            Unavailable: the engine cannot be reached, or died.
            Unsupported: a parameter that this engine cannot be given.
        """
        ...

    def __enter__(self) -> "Audited": ...

    def __exit__(self, *error: object) -> None: ...
