"""Any server that speaks the OpenAI completions API, by its address.

What it shows is found out, not believed: whether token ids come back (vLLM's `return_token_ids`), and whether a prompt may be token
ids. Without ids its text is all there is, and it can only be compared with itself.

Answers are streamed, so that a connection which breaks leaves the tokens that had come.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as short
from threading import Event
from typing import Any

from draftproof.audit.engines.counters import counters
from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.audit.engines.request_fields import SPOKEN, spoken
from draftproof.audit.engines.side_by_side import side_by_side
from draftproof.audit.engines.wire import Dropped, Wire, base_address, choices, first_model
from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.sampling.params import SamplingParams

LARGEST_ID = 2**31 - 1

COMPLETIONS = "/completions"


class OpenAi:
    """An audited server. Entering looks at it, leaving closes the connections; the server is not ours to stop.

    Args:
        address: `http://host:port`, with `openai+` before it or not, and the path that requests go below, by default `/v1`.
        model: its name there; the first one that the server lists, by default.
        key: sent to the server and shown nowhere; the environment's OPENAI_API_KEY, by default.
        dialect: of its sampling rules: openai, vllm or llamacpp.
        parallel: requests under way at once.
        drafts: how it drafts, as its operator knows; a server does not say.
        ends: the tokens that end a text, if its ids come back.
        extra: more fields of every request, such as one that switches drafts off.
        timeout_s: the longest that one answer may take.

    Raises:
        BadRequest: an address that is none, or a field in `extra` that an audit sets itself.
    """

    def __init__(
        self,
        address: str,
        *,
        model: str = "",
        key: str | None = None,
        dialect: str = "openai",
        parallel: int = 4,
        drafts: str = "",
        ends: frozenset[int] = frozenset(),
        extra: Mapping[str, Any] | None = None,
        timeout_s: float = 300.0,
    ):
        if dialect not in SPOKEN:
            raise BadRequest(f"dialect is {dialect!r}; it must be one of {', '.join(SPOKEN)}")
        if parallel < 1:
            raise BadRequest(f"parallel is {parallel}; at least one request must be under way")
        self._address, self._model, self._dialect = base_address(address), model, dialect
        self._parallel, self._drafts, self._ends, self._extra = parallel, drafts, ends, dict(extra or {})
        taken = self._extra.keys() & _names(dialect)
        if taken:
            raise BadRequest(f"extra sets {', '.join(sorted(taken))}, which an audit sets itself; leave it out")
        self._wire = Wire(
            self._address,
            key=os.environ.get("OPENAI_API_KEY", "") if key is None else key,
            timeout_s=timeout_s,
            connections=parallel,
        )
        self._asks_ids = True
        self._gives_ids = self._takes_ids = False

    def __enter__(self) -> "OpenAi":
        """A server that answers, and what it shows is known.

        Raises:
            Unavailable: no server, or one that answers no completion.
            BadRequest: it has no such model.
        """
        try:
            self._model = self._model or first_model(self._wire)
            self._look()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._wire.close()

    @property
    def facts(self) -> Facts:
        goes_on = self._dialect == "vllm"
        return Facts(
            name=f"{self._model} at {self._address}",
            tier=Tier.TOKENS if self._gives_ids else Tier.TEXT,
            drafts=self._drafts,
            ends=frozenset() if goes_on else self._ends,
            settings={
                "dialect": self._dialect,
                "parallel": str(self._parallel),
                "prompts": "token ids" if self._takes_ids else "text",
                "end of text": "does not end an answer" if goes_on else "ends an answer",
            }
            | {f"extra {name}": short(value) for name, value in self._extra.items()},
        )

    def follows(self, params: SamplingParams) -> SamplingParams:
        """The rules whose law an answer to these rules has: the same."""
        return params

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        """See `Audited.answers`."""
        work = [(ask, self._body(self._prompt(ask), ask.params, ask.length, ask.seed)) for ask in asks]
        return side_by_side(work, self._answer, workers=self._parallel)

    def _prompt(self, ask: Ask) -> Any:
        if ask.params.dialect != self._dialect:
            raise Unsupported(
                f"request {ask.number} has rules of the dialect {ask.params.dialect}; this server was said to have those of {self._dialect}"
            )
        if self._takes_ids and ask.prompt and (self._gives_ids or not ask.text):
            return list(ask.prompt)
        if ask.text:
            return ask.text
        raise Unsupported(f"request {ask.number} has no text, and {self._address} takes no token ids; give the prompt as text")

    def _body(self, prompt: Any, params: SamplingParams, length: int, seed: int | None) -> dict[str, Any]:
        named = {
            "model": self._model,
            "prompt": prompt,
            "max_tokens": length,
            "seed": seed,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_token_ids": True if self._asks_ids else None,
            "ignore_eos": True if self._dialect == "vllm" else None,
        }
        return self._extra | spoken(params) | {name: value for name, value in named.items() if value is not None}

    def _answer(self, work: tuple[Ask, dict[str, Any]], enough: Event) -> Answer:
        ask, body = work
        heard = _Heard()
        try:
            for message in self._wire.stream(COMPLETIONS, body):
                heard.take(message)
                if enough.is_set():
                    break
        except Dropped as error:
            self._wire.require_alive("/models", error)
            heard.lost = str(error)
        return heard.answer(ask, self._gives_ids, self._ends)

    def _look(self) -> None:
        """Find out whether token ids come back, and whether they are taken."""
        try:
            heard = self._probe("a")
        except BadRequest:
            self._asks_ids = False  # a server may refuse what it does not know
            heard = self._probe("a")
        self._gives_ids = bool(heard.tokens)
        try:
            self._probe([1])
            self._takes_ids = True
        except BadRequest:
            self._takes_ids = False

    def _probe(self, prompt: Any) -> "_Heard":
        heard = _Heard()
        for message in self._wire.stream(COMPLETIONS, self._body(prompt, SamplingParams(dialect=self._dialect), 1, 0)):
            heard.take(message)
        return heard


@dataclass
class _Heard:
    """What has come of one answer so far."""

    tokens: list[int] = field(default_factory=list)
    text: str = ""
    finish: str = ""
    counted: tuple[int, int] | None = None
    lost: str = ""

    def take(self, message: Mapping[str, Any]) -> None:
        """Add one event.

        Raises:
            Unavailable: an event that is none of this API.
        """
        for choice in choices(message)[:1]:
            text, ids, finish = choice.get("text") or "", choice.get("token_ids") or [], choice.get("finish_reason") or ""
            if not isinstance(text, str) or not isinstance(ids, list) or not isinstance(finish, str):
                raise Unavailable("the server answered with a choice whose text, token_ids or finish_reason is of another type")
            for token in ids:
                if type(token) is not int or not 0 <= token <= LARGEST_ID:
                    raise Unavailable(f"the server answered with the token id {short(token)}; ids are whole numbers from 0 to {LARGEST_ID}")
            self.tokens += ids
            self.text += text
            self.finish = finish or self.finish
        self.counted = counters(message) or self.counted

    def answer(self, ask: Ask, gives_ids: bool, ends: frozenset[int]) -> Answer:
        drafted, accepted = self.counted or (None, None)
        return Answer(
            ask.number,
            tuple(self.tokens[: ask.length]),
            text=self.text,
            drafted=drafted,
            accepted=accepted,
            lost="" if self._whole(ask.length, gives_ids, ends) else self.lost or self._why(),
        )

    def _whole(self, length: int, gives_ids: bool, ends: frozenset[int]) -> bool:
        """True if nothing is missing: the text ended by itself, or all of its tokens are there."""
        if gives_ids:
            return len(self.tokens) >= length or (self.finish == "stop" and bool(self.tokens) and self.tokens[-1] in ends)
        return self.finish in ("stop", "length")

    def _why(self) -> str:
        if self.finish == "length":
            return "the server ended the answer before its length; its context may be full"
        if self.finish == "stop":
            return "the server ended the answer before its length, and not with a token that ends a text"
        return f"the server ended the answer with {short(self.finish)}" if self.finish else "the server ended the answer without saying why"


def _names(dialect: str) -> set[str]:
    """The fields of a request that are an audit's to set."""
    spoken_for = {name for name, _ in SPOKEN[dialect].fields.values()} | SPOKEN[dialect].always.keys()
    own = {"model", "prompt", "max_tokens", "seed", "stream", "stream_options", "return_token_ids", "ignore_eos", "repeat_last_n"}
    return spoken_for | own
