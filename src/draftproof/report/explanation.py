"""One drafted token taken apart: what standard rejection keeps, refuses, draws instead, and emits.

p is the target's law and q the draft's. Every number comes from running the rule that decodes, on one draft for each
token that q can draw; nothing is computed a second time from a formula. Only the *wrong* fallback, which no rule of
this package has, is worked out here.

Rejection: Leviathan et al. 2023 (arXiv 2211.17192), algorithm 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from draftproof.carriers import check_laws
from draftproof.errors import BadRequest
from draftproof.rules.rejection import rejection
from draftproof.tree import Tree
from draftproof.types import Draft

Row = tuple[Fraction, ...]
"""One number a token, exact."""


@dataclass(frozen=True)
class Case:
    """A boundary that a pair of laws lies on.

    Attributes:
        name: a stable word for programs.
        sentence: what follows from it.
    """

    name: str
    sentence: str


@dataclass(frozen=True)
class Explanation:
    """One position of a decode in numbers.

    Attributes:
        tokens: the names of the vocabulary.
        target, draft: the laws p and q.
        kept: the probability that the token is drafted and kept; min(p, q).
        refused: the probability that it is drafted and refused; (q - p)+.
        deficit: what is left of p for a token that follows a refusal; (p - q)+.
        residual: the law of the token after a refusal; None if a refusal has probability 0.
        output: the law of the emitted token.
        wrong_output: the law that would be emitted if a refusal drew from the whole target instead of the residual.
    """

    tokens: tuple[str, ...]
    target: Row
    draft: Row
    kept: Row
    refused: Row
    deficit: Row
    residual: Row | None
    output: Row
    wrong_output: Row

    @property
    def overlap(self) -> Fraction:
        """The probability that a draft token is kept."""
        return sum(self.kept, Fraction(0))

    @property
    def refusal(self) -> Fraction:
        """The probability that a draft token is refused."""
        return sum(self.refused, Fraction(0))

    @property
    def wrong_distance(self) -> Fraction:
        """The total variation between the target and what the wrong fallback emits."""
        return sum((abs(wrong - p) for wrong, p in zip(self.wrong_output, self.target, strict=True)), Fraction(0)) / 2

    @property
    def cases(self) -> list[Case]:
        """The boundaries that this pair of laws lies on; none for an ordinary pair."""
        return _cases(self)


def explain(target: Sequence[Fraction], draft: Sequence[Fraction], tokens: Sequence[str] | None = None) -> Explanation:
    """Run the rule on every token that `draft` can draw, and add up what happens.

    Raises:
        BadRequest: rows of different lengths, or as many names as there are not tokens.
        BadLaw: a row that is not a law.
    """
    if len(target) != len(draft):
        raise BadRequest(f"target has length {len(target)} and draft has length {len(draft)}; both must cover one vocabulary")
    names = tuple(map(str, range(len(target)))) if tokens is None else tuple(tokens)
    if len(names) != len(target):
        raise BadRequest(f"tokens has length {len(names)} and target has length {len(target)}; give one name a token")
    p, q = (np.array([Fraction(value) for value in row], dtype=object) for row in (target, draft))
    check_laws(p, "target")
    check_laws(q, "draft")

    drawn = np.flatnonzero(q != 0)
    one_token_each = Draft.sample(lambda tokens, node: np.tile(q, (len(drawn), 1)), Tree.chain(1), lambda *place: drawn)
    law = rejection(np.tile(p, (len(drawn), 2, 1)), one_token_each)
    after_refusal = law.correction(np.zeros(len(drawn), int))

    kept, refused = p * 0, p * 0
    kept[drawn] = q[drawn] * law.kept[:, 1]
    refused[drawn] = q[drawn] * law.kept[:, 0]
    output = kept + (refused[drawn][:, None] * after_refusal).sum(0)
    return Explanation(
        tokens=names,
        target=_row(p),
        draft=_row(q),
        kept=_row(kept),
        refused=_row(refused),
        deficit=_row(p - kept),
        residual=_row(after_refusal[0]) if refused.any() else None,
        output=_row(output),
        wrong_output=_row(kept + refused.sum() * p),
    )


def _row(values: np.ndarray) -> Row:
    return tuple(Fraction(value) for value in values)


def _cases(of: Explanation) -> list[Case]:
    p, q = of.target, of.draft
    pairs = list(zip(of.tokens, p, q, strict=True))
    unwanted = [token for token, wanted, drafted in pairs if not wanted and drafted]
    undrafted = [token for token, wanted, drafted in pairs if wanted and not drafted]
    certain = [token for token, wanted, _ in pairs if wanted == 1 and len(p) > 1]
    said = {
        "one_token": len(p) == 1 and "The vocabulary has one token, so there is nothing to choose: it is always drafted and always kept.",
        "equal": p == q
        and "Target and draft are equal, so a rejection has probability 0 and there is no residual: "
        "nothing is ever drawn from it, and no epsilon is needed.",
        "disjoint": not of.overlap
        and "Target and draft have no token in common, so every draft token is refused and the residual is the target itself.",
        "certain_target": certain
        and f"The target is certain of {_listing(certain)}, which follows whatever is drafted: kept, or after a refusal.",
        "never_wanted": unwanted and f"Drafted but impossible under the target, hence always refused: {_listing(unwanted)}.",
        "never_drafted": undrafted
        and f"Never drafted but wanted by the target, hence emitted through the residual alone: {_listing(undrafted)}.",
    }
    return [Case(name, sentence) for name, sentence in said.items() if isinstance(sentence, str)]


def _listing(tokens: Sequence[str], most: int = 6) -> str:
    """The names in quotes, the first few of many."""
    more = f" and {len(tokens) - most} more" if len(tokens) > most else ""
    return ", ".join(map(repr, tokens[:most])) + more
