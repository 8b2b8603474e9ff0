"""The verdict on one configuration."""

from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from draftproof.proof.campaign import Word
from draftproof.proof.laws import Output


@dataclass(frozen=True)
class Verdict:
    """How two laws compare.

    Attributes:
        word: PASS if they differ by no more than rounding explains, FAIL if by more.
        distance: their total variation.
        explained: what rounding can explain of it.
        worst: the output whose probability differs most.
        observed, expected: its two probabilities.
    """

    word: Word
    distance: float = 0.0
    explained: float = 0.0
    worst: Output | None = None
    observed: Fraction = Fraction(0)
    expected: Fraction = Fraction(0)


@dataclass(frozen=True)
class Result:
    """What was found of a configuration.

    Attributes:
        name: of the configuration.
        digest: of the configuration and all versions.
        verdict: the assisted law against the plain one.
        documented: the plain law against the documented one; SKIPPED if there is none to compare with.
        reason: why a word is SKIPPED, INCONCLUSIVE or ERROR.
        declared_lossy: whether the library says that this changes the law.
        paths, plain_paths: of the assisted and the plain call.
        replays: runs that the paths of the assisted call took; equal rounds are run once.
        seconds: for all of it.
        engagement: rounds without a kept token, with some and with all kept, and the most rounds of one text.
        confirmed: what an independent run with real randomness showed; empty if none was made.
        contradicted: whether it showed something else.
        reproduction: the smallest call that fails, and what it gives; empty if none fails.
        versions: of everything that the result depends on.
    """

    name: str
    digest: str
    verdict: Verdict
    documented: Verdict = field(default_factory=lambda: Verdict(Word.SKIPPED))
    reason: str = ""
    declared_lossy: bool = False
    paths: int = 0
    plain_paths: int = 0
    replays: int = 0
    seconds: float = 0.0
    engagement: tuple[int, int, int, int] = (0, 0, 0, 0)
    confirmed: str = ""
    contradicted: bool = False
    reproduction: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def word(self) -> Word:
        """The worse of the two verdicts; INCONCLUSIVE if an independent run contradicts them."""
        if self.contradicted:
            return Word.INCONCLUSIVE
        return Word.FAIL if self.documented.word is Word.FAIL else self.verdict.word

    def content(self) -> dict[str, Any]:
        """The result as JSON values; fractions as text."""
        content = {**asdict(self), "word": self.word}
        for part in ("verdict", "documented"):
            for side in ("observed", "expected"):
                content[part][side] = str(content[part][side])
        return content

    @classmethod
    def of(cls, content: dict[str, Any]) -> "Result":
        """The result that `content` was made of."""
        fields = {name: value for name, value in content.items() if name != "word"}
        verdicts = {part: _verdict(fields[part]) for part in ("verdict", "documented")}
        return cls(**{**fields, **verdicts, "engagement": tuple(fields["engagement"])})


def _verdict(content: dict[str, Any]) -> Verdict:
    worst = content["worst"]
    fractions = {side: Fraction(content[side]) for side in ("observed", "expected")}
    return Verdict(**{**content, **fractions, "word": Word(content["word"]), "worst": None if worst is None else tuple(worst)})
