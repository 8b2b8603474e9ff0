"""One request while it is decoded: the only thing that changes.

Invariant between rounds: the cache holds the context minus its last token. It replaces the special cases: no
prefill flag, no branch for "all accepted", no first token. A new session has an empty cache; its first round feeds
whatever the cache lacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from draftproof.detokenise import StopStrings
from draftproof.draws import Draws
from draftproof.errors import BadRequest, NotConforming
from draftproof.models.protocol import Cache
from draftproof.sampling.protocol import Prefix, Sampling
from draftproof.types import Draft


class Finish(StrEnum):
    """Why a request ended."""

    END = "end"
    """An end-of-text token was emitted."""
    STOP = "stop"
    """The emitted tokens end with a stop sequence, or the last of them completes a stop string."""
    LENGTH = "length"
    """The limit of emitted tokens was reached."""


@dataclass(frozen=True)
class Limits:
    """Where a text ends. The token that ends it is emitted.

    Attributes:
        max_tokens: the most tokens that are emitted.
        end_tokens: each ends a text.
        stop: sequences of tokens; whatever else spells the same text does not end it.
        stop_strings: strings, found wherever tokens begin and end; `detokenise` cuts them off the text.

    Raises:
        BadRequest: max_tokens below 1, or an empty stop sequence.
    """

    max_tokens: int
    end_tokens: frozenset[int] = frozenset()
    stop: tuple[tuple[int, ...], ...] = ()
    stop_strings: StopStrings | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.max_tokens, int) or self.max_tokens < 1:
            raise BadRequest(f"max_tokens is {self.max_tokens!r}; ask for a whole number of at least 1")
        for place, sequence in enumerate(self.stop):
            if not isinstance(sequence, tuple | list):
                raise BadRequest(f"stop holds {sequence!r} at place {place}; it must hold sequences of token ids")
            if not sequence:
                raise BadRequest(f"stop sequence {place} is empty and would end every text at once; remove it")

    def clip(self, emitted: Sequence[int], new: Sequence[int]) -> tuple[list[int], Finish | None]:
        """The part of `new` that may follow `emitted`: read in order, cut after the first token that ends the text."""
        for count in range(1, len(new) + 1):
            if finish := self.finish(emitted, new[:count]):
                return list(new[:count]), finish
        return list(new), None

    def finish(self, text: Sequence[int], new: Sequence[int] = ()) -> Finish | None:
        """Why the emitted `text` followed by `new`, complete as it stands, is at its end; None if it goes on.

        Only the last tokens are read, however long the text is.
        """
        tail = (*text[-self._reach :], *new)
        if tail[-1] in self.end_tokens:
            return Finish.END
        if any(tail[-len(sequence) :] == tuple(sequence) for sequence in self.stop):
            return Finish.STOP
        if self.stop_strings and self.stop_strings.found(text, new):
            return Finish.STOP
        return Finish.LENGTH if len(text) + len(new) == self.max_tokens else None

    @cached_property
    def _reach(self) -> int:
        return max(map(len, self.stop), default=1)


class Step(NamedTuple):
    """What one round did to one request.

    Attributes:
        tokens: emitted, in order, 1 to K + 1 of them unless the text ended.
        drafted: how many tokens the round proposed (K).
        accepted: how many of `tokens` are draft tokens; the one after them, if any, is recovered or bonus.
        refused: True if the path ended where tokens were drafted: the token after it, if the text went on, is a recovered one.
        finish: why the text ended, or None.
    """

    tokens: tuple[int, ...]
    drafted: int
    accepted: int
    refused: bool
    finish: Finish | None


@dataclass
class Session:
    """A request in flight.

    Attributes:
        context: the prompt and every emitted token.
        cache: the target's.
        draws: the randomness of this request alone.
        limits: where the text ends.
        params: the sampling rules, of target and draft alike.
        prefix: what they remember of the context.
        memory: what the drafter remembers of it; only the drafter reads it.
        prompt_tokens: how many of `context` are the prompt's.
        finish: why the text ended; None while it goes on.
        given: tokens that the author of the request expects to be emitted; only the drafter reads them.
    """

    context: list[int]
    cache: Cache
    draws: Draws
    limits: Limits
    params: Sampling
    prefix: Prefix
    memory: Any
    prompt_tokens: int = field(init=False)
    finish: Finish | None = None
    given: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.prompt_tokens = len(self.context)
        if not self.context:
            raise BadRequest("the prompt is empty; a language model needs at least one token to go on from")

    @property
    def emitted(self) -> list[int]:
        return self.context[self.prompt_tokens :]

    def commit(self, draft: Draft, row: int, kept: int, token: int) -> Step:
        """Emit the path to node `kept` and `token`, up to where the text ends, and restore the invariant.

        Raises:
            NotConforming: the cache did not keep what it was told to.
        """
        path = draft.tree.path(kept)
        fed = [0, *draft.followed(row)]  # what the pass fed from the last token of the context on
        new, self.finish = self.limits.clip(self.emitted, [*(int(draft.tokens[row, node - 1]) for node in path), int(token)])
        self.cache.keep(len(self.context) - 1, [fed.index(node) for node in (0, *path)[: len(new)]])
        self.context += new
        if self.cache.length != len(self.context) - 1:
            raise NotConforming(
                f"the cache holds {self.cache.length} tokens after a round, and the context without its last token "
                f"{len(self.context) - 1}; `keep` must leave what was held before and the entries it is given"
            )
        present = draft.present[row]
        refused = any(present[child - 1] for child in draft.tree.children[kept])
        return Step(tuple(new), int(present.sum()), min(len(path), len(new)), refused, self.finish)
