"""Whether a proof met what it is about: drafts that were kept, drafts that were refused, and a second round."""

from dataclasses import astuple, dataclass


@dataclass
class Engagement:
    """What a decoder did with drafts, added up over every run of it.

    Attributes:
        drafted: tokens that were proposed.
        kept: drafted tokens that were emitted.
        refused: rounds that did not keep their whole draft.
        later_rounds: rounds that were not the first of their text.
        strayed: rounds that emitted another token than the drafted one and went on.
    """

    drafted: int = 0
    kept: int = 0
    refused: int = 0
    later_rounds: int = 0
    strayed: int = 0

    def take(self) -> "Engagement":
        """What was counted since it was last taken."""
        taken = Engagement(*astuple(self))
        self.drafted = self.kept = self.refused = self.later_rounds = self.strayed = 0
        return taken

    def __add__(self, other: "Engagement") -> "Engagement":
        return Engagement(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    def missing(self, *, several_rounds: bool) -> str:
        """What was never met, as a sentence; empty if nothing is missing.

        Args:
            several_rounds: whether some text should have taken more than one round.
        """
        if not self.drafted:
            return "no token was ever drafted"
        if not self.kept:
            return "no drafted token was ever kept"
        if not self.refused:
            return "no drafted token was ever refused"
        if several_rounds and not self.later_rounds:
            return "every text took one round, so nothing that lasts from round to round was met"
        return ""
