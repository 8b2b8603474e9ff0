"""Every way to draft that a user can ask for by name, and that needs nothing but a text and perhaps a draft model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from draftproof.catalogue import find
from draftproof.drafters.best_of import BestOf
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.protocol import Drafter
from draftproof.drafters.suffix import Suffix
from draftproof.drafting import AUTO, DEEPEST, named_drafter
from draftproof.models.language import LanguageModel

WIDTHS = (1, 2, 3, 5, 7, 11, 15)
"""Beside "auto"; with a draft model as deep as a chosen width goes."""

BEST_OF = "best_of"


class Way(NamedTuple):
    """A drafter as a user asks for it.

    Attributes:
        name: a name of `drafting.DRAFTERS`.
        width: tokens in a round at most, or "auto".
        model: True if it runs the draft model.
        drafter: itself.
    """

    name: str
    width: int | str
    model: bool
    drafter: Drafter


def every_way(target: LanguageModel, draft_model: LanguageModel | None = None, widths: Sequence[int] = WIDTHS) -> list[Way]:
    """What `named_drafter` makes of them, with the cost by which a width is chosen measured once for all.

    Raises:
        Unsupported: a draft model of another vocabulary.
    """
    vocab, rule = target.model.vocab, find(["coupled"])[0]
    best: Any = named_drafter(BEST_OF, target, rule)
    ways = []
    for name, guesser in (("lookup", Lookup()), ("suffix", Suffix())):
        ways += [Way(name, width, False, GuessDrafter(guesser, vocab, width)) for width in widths]
        ways.append(Way(name, AUTO, False, replace(best, guessers=[guesser])))
    ways += _best_of(best, widths, model=False)
    if draft_model is None:
        return ways
    with_model: Any = named_drafter(BEST_OF, target, rule, draft_model=draft_model)
    narrow = [width for width in widths if width <= DEEPEST[True]]
    ways += [Way("model", width, True, named_drafter("model", target, rule, width=width, draft_model=draft_model)) for width in narrow]
    ways.append(Way("model", AUTO, True, replace(with_model, guessers=[])))
    return ways + _best_of(with_model, narrow, model=True)


def _best_of(best: BestOf, widths: Sequence[int], *, model: bool) -> list[Way]:
    """The best of its sources, at most so wide."""
    return [*(Way(BEST_OF, width, model, replace(best, width=width)) for width in widths), Way(BEST_OF, AUTO, model, best)]
