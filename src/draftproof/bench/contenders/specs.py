"""The contenders of a comparison, from the texts that name them."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from draftproof.bench.contender import Contender
from draftproof.bench.contenders.arrivals import Clock
from draftproof.bench.contenders.building import Building
from draftproof.bench.contenders.source import Source
from draftproof.bench.contenders.spec import URL, Spec, parse
from draftproof.errors import BadRequest

DEFAULT = ("ours",)

SLOTS, CONTEXT_TOKENS = 16, 2048
"""What a server is started with: it reserves room for all of its slots."""

CLOCK = Clock()


def contenders(
    specs: Sequence[str],
    source: str | Source,
    *,
    stack: ExitStack,
    slots: int = SLOTS,
    context_tokens: int = CONTEXT_TOKENS,
    told: Callable[[str], None] = lambda name: None,
    clock: Clock = CLOCK,
) -> list[Contender]:
    """All that are named, ready, on the same weights; an engine that drafts is joined by itself without drafts.

    Args:
        specs: see `spec.parse`; the default is `DEFAULT`.
        source: of the weights. Give a `Source` to have its tokenizer, which reads the prompts and counts the tokens of all.
        stack: leaving it stops the servers that were started.
        slots: orders that servers which are started must serve at once.
        context_tokens: the longest prompt with its answer.
        told: called with each contender's name before it is made ready.

    Raises:
        BadRequest: a text that names nothing, or a contender named twice. Nothing was loaded.
        BadRequest, Unsupported, Unavailable: as loading a model and starting an engine.
    """
    wanted = with_plain([parse(text) for text in specs or DEFAULT])
    building = Building(Source(source) if isinstance(source, str) else source, stack, slots, context_tokens, clock)
    ready = []
    for spec in wanted:
        told(spec.name)
        ready.append(building.contender(spec))
    return ready


def with_plain(specs: Sequence[Spec]) -> list[Spec]:
    """All of these, and before the first that drafts the same engine without drafts, if it is not among them.

    A running server cannot be had without drafts but under another address.

    Raises:
        BadRequest: one is named twice.
    """
    names = [spec.name for spec in specs]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise BadRequest(f"{name} is named twice; name every contender once")
    found: list[Spec] = []
    for spec in specs:
        if spec.drafts and spec.kind != URL and spec.plain.name not in (*names, *(other.name for other in found)):
            found.append(spec.plain)
        found.append(spec)
    return found
