"""Evidence of law as it gathers: a bet on every suspect, and what all of them say together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from draftproof.audit.law.betting import Capital, log_mean, log_sum
from draftproof.audit.law.learned import LEARNERS
from draftproof.audit.law.opinions import Opinions
from draftproof.audit.law.rows import Rows, Text
from draftproof.audit.law.scoring import Scores, scores
from draftproof.audit.law.suspects import Suspect

ENTRIES_AT_ONCE = 2**20
"""Of the rows of texts that are scored together: 8 MiB for each law."""

APART = float(np.log(20))
"""The likeliest suspect is told apart when its capital is so many times that of the next, as a logarithm."""

TO_NAME = 4
"""How many times the tokens that refuted an engine are judged at most, so that its fault can be told from others like it."""


@dataclass(frozen=True)
class Finding:
    """What the tokens say of one suspect.

    Attributes:
        suspect: who.
        log_e: logarithm of the e-value against the target's law, in the direction of the suspect.
        share: the share of the suspect that explains the tokens best, of those that were bet on.
        interval: the shares that are not excluded; None if all are.
    """

    suspect: Suspect
    log_e: float
    share: float
    interval: tuple[float, float] | None

    @property
    def upper(self) -> float:
        """The largest share that is not excluded."""
        return 1.0 if self.interval is None else self.interval[1]


@dataclass
class LawEvidence:
    """All bets on the tokens of one engine under one set of sampling rules.

    The capital is spread evenly over the suspects, so together they are one bet, and its error rate is that of one.

    Attributes:
        suspects: whom to bet on, besides those that are learned on the way.
        band: total variation up to which each row of the target is known.
        opinions: what other tests say; they decide nothing.
    """

    suspects: Sequence[Suspect]
    band: float = 0.0
    opinions: Opinions = field(default_factory=Opinions)
    tokens: int = 0

    def __post_init__(self) -> None:
        self._learners = [learner(self.band) for learner in LEARNERS]
        self._all = (*self.suspects, *(learner.suspect for learner in self._learners))
        self.capitals = [Capital(self.band) for _ in self._all]
        self._findings: dict[tuple[int, float], list[Finding]] = {}  # of the last number of tokens: intervals take a while

    def add(self, texts: Sequence[Text], rows: Sequence[Rows]) -> None:
        """Bet on every token of texts, each with its rows. Texts are added in an order that does not depend on what they say."""
        for part in _parts(rows):
            self._add([texts[place] for place in part], [rows[place] for place in part])

    def _add(self, texts: Sequence[Text], rows: Sequence[Rows]) -> None:
        found = scores(self.suspects, rows, self.band)
        for learner in self._learners:
            learned = [learner.scores(text.prompt, each) for text, each in zip(texts, rows, strict=True)]
            found.append(Scores(*(np.concatenate(each) for each in zip(*learned, strict=True))))
        lengths = [len(each.tokens) for each in rows]
        settled = np.concatenate([np.ones(len(each.tokens), bool) if each.settled is None else each.settled for each in rows])
        found = [Scores(*(np.where(settled, part, 1.0) for part in each)) for each in found]  # elsewhere nothing is bet
        for capital, each in zip(self.capitals, found, strict=True):
            capital.add(each, lengths)
        for text, along in zip(texts, rows, strict=True):
            self.opinions.add(text, along)
        self.tokens += sum(lengths)

    @property
    def log_e(self) -> float:
        """Logarithm of the e-value against the target's law."""
        return log_mean([capital.log_e for capital in self.capitals])

    def refutes(self, alpha: float) -> bool:
        """Whether the target's law is refuted, at the error rate alpha."""
        return bool(self.log_e >= np.log(1 / alpha))

    def named(self, refuted_at: int) -> bool:
        """Whether more tokens would hardly name another suspect, of an engine that was refuted after so many."""
        logs = sorted(capital.log_e for capital in self.capitals[: len(self.suspects)])
        return len(logs) < 2 or bool(logs[-1] - logs[-2] >= APART) or self.tokens >= TO_NAME * refuted_at

    def bounds(self, names: Sequence[str], share: float, alpha: float) -> bool:
        """Whether this share, and so every larger one, is excluded for each of the named suspects, and none of them is shown."""
        named = [capital for suspect, capital in zip(self.suspects, self.capitals, strict=False) if suspect.name in names]
        return all(capital.too_large(share, alpha) and not capital.too_small(0.0, alpha) for capital in named)

    def findings(self, alpha: float) -> list[Finding]:
        """What the tokens so far say of each suspect, the likeliest first."""
        if (self.tokens, alpha) not in self._findings:
            found = [
                Finding(suspect, capital.log_e, capital.share, capital.interval(alpha))
                for suspect, capital in zip(self._all, self.capitals, strict=True)
            ]
            self._findings = {(self.tokens, alpha): sorted(found, key=lambda finding: -finding.log_e)}
        return self._findings[self.tokens, alpha]

    def growth(self, since: int = 0) -> list[tuple[int, float]]:
        """(tokens so far, logarithm of the e-value) after each text, from one on."""
        traces = [capital.growth[since:] for capital in self.capitals]
        logs = np.array([[log_e for _, log_e in points] for points in traces])
        means = log_sum(logs) - np.log(len(traces))
        return [(tokens, mean) for (tokens, _), mean in zip(traces[0], means.tolist(), strict=True)]


def _parts(rows: Sequence[Rows]) -> Iterator[list[int]]:
    """The places of the texts that have tokens, as many together as may be scored at once."""
    part: list[int] = []
    entries = 0
    for place, each in enumerate(rows):
        if not len(each.tokens):
            continue
        if part and entries + each.target.size > ENTRIES_AT_ONCE:
            yield part
            part, entries = [], 0
        part.append(place)
        entries += each.target.size
    if part:
        yield part
