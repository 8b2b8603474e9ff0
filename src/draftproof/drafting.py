"""Drafters by name, with every part chosen."""

from typing import Any

from draftproof.catalogue import Entry
from draftproof.drafters.best_of import BestOf
from draftproof.drafters.function import no_drafter
from draftproof.drafters.given import Given
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.protocol import Drafter
from draftproof.drafters.reading import by_characters
from draftproof.drafters.suffix import Suffix
from draftproof.drafters.text import text_drafter
from draftproof.drafters.translated import require_same, translated
from draftproof.errors import BadRequest, Unsupported
from draftproof.models.cost import PassCost, measure
from draftproof.models.language import LanguageModel
from draftproof.models.protocol import Model
from draftproof.sampling.params import SamplingParams
from draftproof.shapes import Array
from draftproof.tree import Siblings, Tree

GUESSERS: dict[str, tuple[type[Any], ...]] = {
    "lookup": (Lookup,),
    "suffix": (Suffix,),
    "given": (Given,),
    "best_of": (Lookup, Suffix, Given),
}
"""Drafters that guess from the text, and what they guess with."""

WITH_MODEL = ("model", "translated", "text")
"""Drafters that run a draft model: one of the target's vocabulary, of another, or of any by way of its text."""

DRAFTERS = ("best_of", "lookup", "suffix", "given", *WITH_MODEL, "early_exit", "none")

AUTO = "auto"

DEEPEST = {True: 8, False: 15}
"""The deepest draft of a width chosen by what pays, with a draft model and without one: 16 rows is the last step that pays on a CPU."""


def understood(
    drafter: str | None,
    width: int | str | None,
    draft_model: Any,
    assistant_model: Any,
    num_assistant_tokens: int | None,
    prompt_lookup_num_tokens: int | None,
) -> tuple[str, int | str, Any]:
    """Drafter, width and draft model, from our own names for them and from those of transformers.

    Raises:
        BadRequest: two names of one thing, or names that contradict each other.
    """
    if draft_model is not None and assistant_model is not None:
        raise BadRequest("draft_model and assistant_model are the same thing; give one of them")
    widths = {"width": width, "num_assistant_tokens": num_assistant_tokens, "prompt_lookup_num_tokens": prompt_lookup_num_tokens}
    if len(given := [name for name, value in widths.items() if value is not None]) > 1:
        raise BadRequest(f"{' and '.join(given)} are the same thing; give one of them")
    model = draft_model if assistant_model is None else assistant_model
    meant = "lookup" if prompt_lookup_num_tokens is not None else "model" if model is not None else None
    if meant == "lookup" and (model is not None or drafter not in (None, "lookup")):
        raise BadRequest("prompt_lookup_num_tokens asks for the drafter lookup; leave out the other drafter")
    chosen = next((value for value in widths.values() if value is not None), AUTO)
    return drafter or meant or "best_of", chosen, model


def known(name: str) -> None:
    """Return if there is a drafter of this name.

    Raises:
        BadRequest: there is not.
    """
    if name not in DRAFTERS:
        raise BadRequest(f"there is no drafter {name!r}; the drafters are {', '.join(DRAFTERS)}")


def named_drafter(
    name: str,
    target: LanguageModel,
    rule: Entry,
    *,
    width: int | str = AUTO,
    draft_model: LanguageModel | None = None,
    layers: int | None = None,
) -> Drafter:
    """A drafter of chains for this target and rule.

    Args:
        name: one of `DRAFTERS`.
        width: tokens in a round at most, or "auto".
        draft_model: for those of `WITH_MODEL`; `best_of` takes one of the same vocabulary as one source more.
        layers: for `early_exit`, how many of the target's layers draft.

    Raises:
        BadRequest: an unknown name, a width that is no whole number, a model too many or too few.
        Unsupported: a rule for trees alone, another vocabulary, a target without an early exit.
    """
    known(name)
    if width != AUTO and (not isinstance(width, int) or width < 0):
        raise BadRequest(f"the width is {width!r}; give a whole number of at least 0, or {AUTO}")
    if rule.siblings not in (None, Siblings.DISTINCT):
        raise Unsupported(
            f"the rule {rule.name} is for siblings drawn together, and these drafters draft chains; use recursive or rejection"
        )
    if (draft_model is not None) != (name in WITH_MODEL) and not (draft_model and name == "best_of"):
        needs = "needs a draft model" if draft_model is None else "takes no draft model"
        raise BadRequest(f"the drafter {name} {needs}; those that take one are {', '.join(WITH_MODEL)} and best_of")
    if (layers is not None) != (name == "early_exit"):
        raise BadRequest("layers, how many of the target's layers draft, is for the drafter early_exit: it needs it, and no other takes it")
    vocab = target.model.vocab
    if name == "none" or width == 0:
        return no_drafter(vocab)
    guessers = [guesser() for guesser in GUESSERS.get(name, ())]
    modelled = name not in GUESSERS or draft_model is not None
    deepest = width if isinstance(width, int) else DEEPEST[modelled]
    if not modelled:
        if len(guessers) == 1 and width != AUTO:
            return GuessDrafter(guessers[0], vocab, deepest)
        return BestOf(guessers, vocab, target_cost(target.model, rule), width=deepest)
    drafting, cost_of = _modelled("model" if guessers else name, target, draft_model, layers, deepest)
    if width != AUTO and not guessers:
        return drafting
    cost = target_cost(target.model, rule)
    return BestOf(guessers, vocab, cost, width=deepest, drafter=drafting, draft_cost=measure(cost_of))


def target_cost(model: Model, rule: Entry) -> PassCost:
    """Of a pass of the target and of making laws: of every row for a rule that reads all, else of one.

    On a small model the law of a row takes a third as long as the row.
    """
    rules = SamplingParams(temperature=0.9)

    def settle(rows: Array) -> None:
        read = rows[-1:] if rule.verification.by_row else rows
        drafted = [0] * (len(read) - 1)
        rules.laws(read, rules.start([0]), drafted, range(len(drafted)))

    return measure(model, settle=settle)


def _modelled(name: str, target: LanguageModel, draft: LanguageModel | None, layers: int | None, width: int) -> tuple[Drafter, Model]:
    """A drafter that runs a model, and the model."""
    if draft is None:
        if not hasattr(target.model, "early_exit"):
            raise Unsupported(f"{target.name} runs on a backend that cannot stop after some layers; load it with --backend hf")
        model = target.model.early_exit(layers)
        return ModelDrafter(model, Tree.chain(width)), model
    theirs, ours = draft.tokenizer, target.tokenizer
    if name == "model":
        require_same(ours.vocabulary, theirs.vocabulary)
        return ModelDrafter(draft.model, Tree.chain(width)), draft.model
    draft_encode = by_characters(theirs.encode, theirs.vocabulary)
    if name == "translated":
        model = translated(draft.model, target=ours.vocabulary, draft=theirs.vocabulary, encode=draft_encode)
        return ModelDrafter(model, Tree.chain(width)), draft.model
    target_encode = by_characters(ours.encode, ours.vocabulary)
    writer = text_drafter(
        draft.model,
        target=ours.vocabulary,
        draft=theirs.vocabulary,
        draft_encode=draft_encode,
        target_encode=target_encode,
        length=width,
    )
    return writer, draft.model
