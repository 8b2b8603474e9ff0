"""What a drafter must do, and all that it may know."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from draftproof.sampling.protocol import Prefix, Sampling
from draftproof.types import Draft, Picker


class Request(NamedTuple):
    """What a drafter may know of a session. A drafter that asks another passes it on with another `memory` or `width`.

    Attributes:
        context: the prompt and every emitted token.
        prompt_tokens: how many of `context` are the prompt's.
        given: tokens that the author of the request expects to be emitted; often none.
        params: the sampling rules, of target and draft alike.
        prefix: what they remember of the context.
        memory: what the drafter itself remembers, made by its `start`.
        width: how deep a draft may go: the tokens that the text may still hold, or fewer.
    """

    context: tuple[int, ...]
    prompt_tokens: int
    given: tuple[int, ...]
    params: Sampling
    prefix: Prefix
    memory: Any
    width: int


@runtime_checkable
class Drafter(Protocol):
    """Something that proposes tokens. It changes nothing but its own memories."""

    def start(self) -> Any:
        """The memory of a new request."""
        ...

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        """A draft for every request, to follow its context, no deeper than its width. `pick` is the only source of
        randomness, and each request's own sampling rules apply.

        How many tokens a row drafts may depend on the past and on draft laws, never on a token that is then dropped.
        """
        ...
