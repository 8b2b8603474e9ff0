"""A real llama.cpp HTTP server, audited through its own endpoint `/completion`.

Answers are taken whole, never as a stream: llama.cpp's stream leaves out the id of every token whose text ends inside a character.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

from draftproof.audit.engines.counters import counters
from draftproof.audit.engines.llamacpp_answer import LlamaCppAnswer
from draftproof.audit.engines.llamacpp_server import PACKAGE, LlamaCppServer, Serving
from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.audit.engines.request_fields import spoken
from draftproof.audit.engines.side_by_side import side_by_side
from draftproof.audit.engines.wire import Dropped, Wire
from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.sampling.params import SamplingParams

LARGEST_SEED = 2**32 - 2
"""One more means a random one."""

MOST_LAWS = 4096
"""Tokens of a vocabulary whose laws are sent: a row takes a hundred bytes a token as JSON."""

DRAFT_TOP_K = 10
"""Of a draft that is sampled."""

PROBE_TOKENS = 8
"""Enough for a first round with drafts."""

READ = ("tokens", "content", "stop_type", "timings", "generation_settings", "completion_probabilities")
"""The fields of an answer that are used; the rest, such as the prompt as text, is not sent."""


class LlamaCpp:
    """An audited llama.cpp server. Entering starts it, leaving ends it.

    Args:
        serving: what it serves, and how it drafts.
        laws: tell the law of every token, whether a request asks for it or not; for small vocabularies, and without drafts.
        past_ends: go on after an end of text. llama.cpp does so by banning the tokens that end one, which is another law: `follows`.
        timeout_s: the longest that one answer may take.
    """

    def __init__(self, serving: Serving, *, laws: bool = False, past_ends: bool = True, timeout_s: float = 300.0):
        if laws and serving.drafts:
            raise Unsupported("llama.cpp tells no law of a token that came of a round with drafts; leave out the drafts or the laws")
        self.serving = serving
        self.server = LlamaCppServer(serving)
        self._laws, self._past_ends, self._timeout_s = laws, past_ends, timeout_s
        self._wire: Wire | None = None
        self._vocab = 0
        self._ends: frozenset[int] = frozenset()

    def __enter__(self) -> "LlamaCpp":
        """A server that answers, with its drafts seen at work.

        Raises:
            as `LlamaCppServer.start`, and Unsupported: drafts that the server never makes, a vocabulary too large for laws.
        """
        self.server.start()
        try:
            self._wire = Wire(self.server.address, timeout_s=self._timeout_s, connections=self.serving.parallel)
            self._look()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        self.server.stop()

    @property
    def facts(self) -> Facts:
        serving = self.serving
        return Facts(
            name=f"llama.cpp ({_version()})",
            tier=Tier.LAWS if self._laws else Tier.TOKENS,
            drafts=serving.drafts,
            ends=frozenset() if self._past_ends else self._ends,
            settings={
                "target": serving.target,
                "draft": serving.draft or "none",
                "parallel": str(serving.parallel),
                "context_length": str(serving.context_length),
                "threads": str(serving.threads),
                "cache_prompt": "on" if serving.cache_prompt else "off",
                "cache of keys and values": "float32",
                "flash attention": "off",
                "end of text": "banned" if self._past_ends else "ends an answer",
            },
        )

    @property
    def ends(self) -> frozenset[int]:
        """The tokens that end a text, as the server has them."""
        return self._ends

    def follows(self, params: SamplingParams) -> SamplingParams:
        """The rules whose law an answer to these rules has: the same, and the ends of text banned where answers go on after them."""
        if not self._past_ends:
            return params
        return replace(params, logit_bias=dict(params.logit_bias) | dict.fromkeys(self._ends, -math.inf))

    def draft_params(self, params: SamplingParams) -> SamplingParams | None:
        """The rules by which the draft model's tokens are drawn for a request of these rules; None if there is no draft model.

        Seen, not documented: with the target as its own draft, at five settings, what is kept is the overlap with this law within its
        error; of the request's rules the draft follows the temperature alone.
        """
        if not self.serving.draft:
            return None
        if self.serving.draft_sampling == "greedy":
            return SamplingParams(dialect="llamacpp", temperature=0)
        return SamplingParams(dialect="llamacpp", temperature=params.temperature, top_k=DRAFT_TOP_K)

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        """See `Audited.answers`.

        Raises:
            BadRequest: a prompt that is empty, too long with its answer, or of unknown tokens; a seed out of range.
        """
        work = [(ask, self._body(ask)) for ask in asks]
        return side_by_side(work, self._answer, workers=self.serving.parallel)

    def _body(self, ask: Ask) -> dict[str, Any]:
        if ask.params.dialect != "llamacpp":
            raise Unsupported(f"request {ask.number} has rules of the dialect {ask.params.dialect}; this engine has those of llamacpp")
        place = f"request {ask.number}"
        if not ask.prompt or ask.length < 1:
            raise BadRequest(
                f"{place} has {len(ask.prompt)} tokens of prompt and asks for {ask.length}; there must be one of each at least"
            )
        if len(ask.prompt) + ask.length > self.serving.context_length:
            raise BadRequest(
                f"{place} has {len(ask.prompt)} tokens of prompt and asks for {ask.length}, more than the context of "
                f"{self.serving.context_length} together; serve with a longer one"
            )
        unknown = [token for token in ask.prompt if not 0 <= token < self._vocab]
        if unknown:
            raise BadRequest(f"{place} holds token {unknown[0]} in its prompt; the model has those from 0 to {self._vocab - 1}")
        if ask.seed is not None and not 0 <= ask.seed <= LARGEST_SEED:
            raise BadRequest(f"{place} has the seed {ask.seed}; llama.cpp takes those from 0 to {LARGEST_SEED}")
        self._refuse_lost_rules(ask.params)
        return spoken(ask.params, context_length=self.serving.context_length) | {
            "prompt": list(ask.prompt),
            "n_predict": ask.length,
            "seed": LARGEST_SEED + 1 if ask.seed is None else ask.seed,
            "ignore_eos": self._past_ends,
            "cache_prompt": self.serving.cache_prompt,
            "n_probs": self._vocab if self._tells(ask) else 0,
            "post_sampling_probs": self._tells(ask),
            "stream": False,
            "return_tokens": True,
            "response_fields": list(READ),
        }

    def _tells(self, ask: Ask) -> bool:
        """Whether the law of every token is told: of a round with drafts, and of XTC before its coin, llama.cpp tells none."""
        can = not self.serving.drafts and self._vocab <= MOST_LAWS and not ask.params.xtc_probability
        return self._laws or (ask.laws and can)

    def _refuse_lost_rules(self, params: SamplingParams) -> None:
        """Return if the server follows these rules together.

        Its typical_p sums p log p over all tokens that are left, and of one with p = 0 that is not a number. Then what it keeps is
        arbitrary: half of the mass is elsewhere.

        Raises:
            Unsupported: naming the rules that do not go together.
        """
        if params.typical_p < 1:
            banned = sum(bias == -math.inf for _, bias in self.follows(params).logit_bias)
            cut = 0 < params.top_k <= self._vocab - banned and not params.top_n_sigma
            if (banned or params.top_n_sigma) and not cut:
                raise Unsupported(
                    f"typical_p is {params.typical_p} while {banned or 'some'} tokens are banned, which llama.cpp cannot compute; "
                    "leave it out, give top_k, or let the ends of text be"
                )
        if self._laws and params.xtc_probability:
            raise Unsupported(
                f"xtc_probability is {params.xtc_probability}: llama.cpp tells the law after its coin, not before; leave it out"
            )

    def _answer(self, work: tuple[Ask, dict[str, Any]], enough: Event) -> Answer:
        ask, body = work
        try:
            message = self._post(body)
        except Dropped as error:
            self._require_wire().require_alive("/health", error)
            return Answer(ask.number, (), lost=str(error))
        told = LlamaCppAnswer(message, self._vocab)
        told.check_followed(body, self._ends if self._past_ends else frozenset())
        tokens = told.tokens()[: ask.length]
        counted = counters(message) or ((0, 0) if self.serving.drafts else (None, None))  # an answer without a draft has no counters
        return Answer(
            ask.number,
            tokens,
            text=str(message.get("content", "")),
            drafted=counted[0],
            accepted=counted[1],
            laws=told.laws(len(tokens)) if self._tells(ask) else None,
            lost="" if len(tokens) == ask.length or message.get("stop_type") == "eos" else "the server ended the answer before its length",
        )

    def _post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The server's answer.

        Raises:
            Unavailable: the server is dead, and how it died; `Dropped` if it lives.
        """
        wire = self._require_wire()
        try:
            return wire.post("/completion", body)
        except Unavailable as error:
            death = self.server.death
            if not death:
                raise
            raise Unavailable(f"llama.cpp {death} while it answered; its answers so far stand, start it again for the rest") from error

    def _require_wire(self) -> Wire:
        if self._wire is None:
            raise Unavailable("the llama.cpp server is not running; ask it between entering and leaving, as a context manager")
        return self._wire

    def _look(self) -> None:
        """Learn the vocabulary and the ends of text, and see a draft."""
        models = self._require_wire().get("/v1/models").get("data")
        meta = models[0].get("meta") if isinstance(models, list) and models and isinstance(models[0], dict) else None
        self._vocab = meta.get("n_vocab", 0) if isinstance(meta, dict) else 0
        if type(self._vocab) is not int or self._vocab < 1:
            raise Unavailable(
                f"llama.cpp does not tell the vocabulary of {self.serving.target}; use the version of {PACKAGE} that is named"
            )
        if self._laws and self._vocab > MOST_LAWS:
            raise Unsupported(f"laws over {self._vocab} tokens are too large to be sent; ask for token ids alone, and score those")
        probe = {"prompt": [0], "n_predict": PROBE_TOKENS, "temperature": 0.0, "ignore_eos": True, "seed": 0, "cache_prompt": False}
        message = self._post(probe)
        self._ends = frozenset(LlamaCppAnswer(message, self._vocab).biases())
        if self.serving.draft and not (counters(message) or (0, 0))[0]:
            raise Unsupported(
                f"llama.cpp loads the draft {self.serving.draft} and does not use it; its vocabulary must be that of the target "
                f"{self.serving.target}"
            )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        return f"{PACKAGE} is not installed"
