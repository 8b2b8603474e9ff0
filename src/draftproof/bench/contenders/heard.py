"""What an engine says while it answers one order, and when."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Heard:
    """Tokens as they come.

    Attributes:
        since: tells the seconds since the order's arrival.
        tokens: so far, an end of text included.
        times: one for each burst.
    """

    since: Callable[[], float]
    tokens: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def burst(self, tokens: Sequence[int]) -> None:
        """Take tokens that came at once."""
        self.times.append(self.since())
        self.tokens += tokens
