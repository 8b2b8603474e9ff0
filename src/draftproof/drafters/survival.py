"""How far the proposals of a session go, learned from the text that was emitted after them.

Whatever was proposed is scored, drafted or not. The text has the target's law whatever is drafted, so a guess is as good a
witness when nobody drafted it, and learning about guesses costs nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from draftproof.drafters.guess import first_new

FADE = 0.95
"""What a proposal still counts when the next of its kind is made: about twenty of them are remembered."""

FIRST_SURVIVAL = {1: 0.3, 2: 0.5, 3: 0.7, 4: 0.8}
"""What is believed of the first token of a guess before one of its kind was scored, by its support. A longer match is worth more
trust, since where it errs it is soon found out."""

UNKNOWN = 0.5
"""The same for any other proposal."""

PRIOR = 2.0
"""The weight of this belief, in proposals; and at each depth that of what is believed of the one above. Of a dozen sets of such
numbers, tried on texts of the shipped workloads that were replayed alone and in batches, none was faster on the mean by more than 1%:
where many rows choose their drafts by what few proposals taught, those that are overrated are chosen."""

SURPRISE = 0.001
"""A run of first tokens that was less probable than this says that the text has changed its ways. A kind of which 95 in 100
were kept is given up after 4 that are not, one of which half were kept after 14."""


Kind = tuple[int, int]
"""(number of the source, support of the guess): proposals of one kind are expected to fare alike."""


@dataclass
class Run:
    """The latest proposals of one kind, as far back as the first tokens of all agreed or of all did not.

    Attributes:
        agreed: which of the two.
        like, tried: proposals before the run with such a first token, and all of them.
        length: of the run.
        likelihood: of such a run, had nothing changed: with the shares of `like` and `tried` as uncertain as they are
            (Polya's urn).
    """

    agreed: bool
    like: float
    tried: float
    length: int = 0
    likelihood: float = 1.0

    def grow(self) -> None:
        """One more such proposal."""
        self.likelihood *= (self.like + self.length) / (self.tried + self.length)
        self.length += 1


@dataclass
class Survival:
    """How far proposals of one kind agree with what is emitted: a product of one factor a depth (Kaplan and Meier 1958).

    A proposal whose end is not yet known counts as far as it is known. A depth that was seldom reached is believed to be
    like the one above it.

    Attributes:
        first: what is believed of a first token before one was scored.
        tried, kept: for each depth, proposals that were scored there, and those that agreed; older ones count less.
        run: of the latest ones; None before the first.
    """

    first: float = UNKNOWN
    tried: list[float] = field(default_factory=lambda: [0.0])
    kept: list[float] = field(default_factory=lambda: [0.0])
    run: Run | None = None

    def fade(self) -> None:
        """Let all that was scored count less."""
        self.tried = [FADE * count for count in self.tried]
        self.kept = [FADE * count for count in self.kept]

    def score(self, depth: int, agreed: bool) -> None:
        """Count a proposal that agreed above `depth` (from 0), and there or not; forget the older ones if they do not
        prepare for what came lately.
        """
        if not depth:
            self._watch(agreed)
        while depth >= len(self.tried):
            self.tried.append(0.0)
            self.kept.append(0.0)
        self.tried[depth] += 1
        self.kept[depth] += agreed

    def curve(self, width: int) -> list[float]:
        """The probabilities that the first 1, 2, ... `width` tokens of a proposal all agree."""
        curve, survival, factor = [], 1.0, self.first
        for depth in range(width):
            tried, kept = (self.tried[depth], self.kept[depth]) if depth < len(self.tried) else (0.0, 0.0)
            factor = (kept + PRIOR * factor) / (tried + PRIOR)
            survival *= factor
            curve.append(survival)
        return curve

    def _watch(self, agreed: bool) -> None:
        if self.run is None or self.run.agreed != agreed:
            kept, tried = self.kept[0] + PRIOR * self.first, self.tried[0] + PRIOR
            self.run = Run(agreed, kept if agreed else tried - kept, tried)
        self.run.grow()
        if self.run.likelihood < SURPRISE:
            before = self.run.length - 1.0
            self.tried, self.kept, self.run = [before], [before * agreed], None


@dataclass
class Proposal:
    """Tokens that were proposed, and how many of them were emitted so far."""

    kind: Kind
    tokens: tuple[int, ...]
    agreed: int = 0


class Beliefs(dict[Kind, Survival]):
    """What is believed of each kind of proposal."""

    def __missing__(self, kind: Kind) -> Survival:
        self[kind] = Survival(FIRST_SURVIVAL.get(kind[1], UNKNOWN))
        return self[kind]


@dataclass
class Record:
    """What one session learned about proposals, by their kind.

    Attributes:
        seen: the context up to which proposals are scored.
        open: proposals whose end is not yet known.
    """

    survival: Beliefs = field(default_factory=Beliefs)
    open: list[Proposal] = field(default_factory=list)
    seen: tuple[int, ...] = ()

    def read(self, context: tuple[int, ...]) -> None:
        """Score the open proposals against what the context adds to what was seen."""
        start = first_new(self.seen, context)
        if not start:
            self.open = []
        for token in context[start:]:
            self.open = [proposal for proposal in self.open if self._goes_on(proposal, token)]
        self.seen = context

    def add(self, kind: Kind, tokens: Sequence[int]) -> Proposal:
        """Remember tokens that were proposed to follow the context; of none there is nothing to learn."""
        proposal = Proposal(kind, tuple(tokens))
        if tokens:
            self.survival[kind].fade()
            self.open.append(proposal)
        return proposal

    def _goes_on(self, proposal: Proposal, token: int) -> bool:
        agreed = proposal.tokens[proposal.agreed] == token
        self.survival[proposal.kind].score(proposal.agreed, agreed)
        proposal.agreed += agreed
        return agreed and proposal.agreed < len(proposal.tokens)
