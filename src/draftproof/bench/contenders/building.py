"""From what is asked for to a contender that is ready."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draftproof.audit.engines.llamacpp_server import Serving
from draftproof.audit.engines.wire import Wire, first_model
from draftproof.bench.contender import Contender
from draftproof.bench.contenders.arrivals import Clock
from draftproof.bench.contenders.genai import GenAi, pipeline
from draftproof.bench.contenders.hf import Transformers
from draftproof.bench.contenders.llamacpp import llamacpp
from draftproof.bench.contenders.own import Own
from draftproof.bench.contenders.source import Source
from draftproof.bench.contenders.spec import DRAFT, FLOAT16, LOOKUP, Spec
from draftproof.bench.contenders.url import SLOTS, Url
from draftproof.engine import Engine
from draftproof.models.openvino import PRECISIONS

WIDTH = 5
"""Tokens of a draft, for an engine that must be told and was not."""

NGRAM = 3
"""Tokens that must have occurred before, for a lookup that must be told."""

LOOKUP_OF_LLAMACPP = "ngram-simple"


@dataclass(frozen=True)
class Building:
    """What contenders are made of.

    Attributes:
        source: the weights of all.
        stack: leaving it stops what was started.
        slots: orders that a server must serve at once.
        context_tokens: the longest prompt with its answer, for a server that must reserve it.
    """

    source: Source
    stack: ExitStack
    slots: int
    context_tokens: int
    clock: Clock

    def contender(self, spec: Spec) -> Contender:
        """Ready to serve.

        Raises:
            BadRequest, Unsupported, Unavailable: as loading the model and starting the engine.
        """
        make: dict[str, Callable[[Spec], Contender]] = {
            "ours": self._own,
            "hf": self._transformers,
            "genai": self._genai,
            "genai-default": self._genai,
            "llamacpp": self._llamacpp,
        }
        return make.get(spec.kind, self._url)(spec)

    def _own(self, spec: Spec) -> Own:
        draft, layers = self._draft(spec), spec.options.get("layers")
        engine = Engine(
            self.source.model(spec.precision),
            drafter=spec.way,
            rule=spec.options.get("rule", "coupled"),
            width=spec.width,
            draft_model=draft.model(spec.precision) if draft else None,
            layers=int(layers) if layers else None,
        )
        return Own(engine, spec.name, spec.engine, spec.drafts, clock=self.clock)

    def _transformers(self, spec: Spec) -> Transformers:
        target = self.source.torch(spec.precision)
        return Transformers(
            _torch(target.model),
            self.source.tokenizer,
            spec.name,
            spec.engine,
            self._assisted(spec),
            spec.width or 0,
            self.source.threads,
            clock=self.clock,
        )

    def _assisted(self, spec: Spec) -> dict[str, Any]:
        if spec.way == LOOKUP:
            return {"prompt_lookup_num_tokens": spec.width or WIDTH}
        draft = self._draft(spec)
        return {"assistant_model": _torch(draft.torch(spec.precision).model)} if draft else {}

    def _genai(self, spec: Spec) -> GenAi:
        config = {**PRECISIONS[spec.precision], "INFERENCE_NUM_THREADS": str(self.source.threads)} if spec.kind == "genai" else {}
        draft = self._draft(spec)
        made = pipeline(self.source.folder, config, lookup=spec.way == LOOKUP, draft=draft.folder if draft else None)
        drafting = {"num_assistant_tokens": spec.width or WIDTH} if spec.drafts else {}
        if spec.way == LOOKUP:
            drafting["max_ngram_size"] = NGRAM
        return GenAi(made, self.source.tokenizer, spec.name, spec.engine, drafting, clock=self.clock)

    def _llamacpp(self, spec: Spec) -> Contender:
        draft = self._draft(spec)
        serving = Serving(
            str(self._weights(self.source, spec)),
            draft=str(self._weights(draft, spec)) if draft else "",
            width=spec.width or WIDTH,
            lookup=LOOKUP_OF_LLAMACPP if spec.way == LOOKUP else "",
            lookup_size=NGRAM,
            parallel=self.slots,
            context_length=self.context_tokens,
            threads=self.source.threads,
            cache_prompt=False,
        )
        return self.stack.enter_context(llamacpp(serving, name=spec.name, engine=spec.engine, clock=self.clock))

    def _url(self, spec: Spec) -> Url:
        slots = int(spec.options.get("slots", SLOTS))
        wire = Wire(spec.address, key=os.environ.get("OPENAI_API_KEY", ""), connections=slots)
        self.stack.callback(wire.close)
        dialect = spec.options.get("dialect", "openai")
        return Url(wire, first_model(wire), spec.name, spec.engine, spec.drafts, slots, dialect, self.clock)

    def _draft(self, spec: Spec) -> Source | None:
        name = spec.options.get(DRAFT)
        return self.source.other(name) if name else None

    def _weights(self, source: Source, spec: Spec) -> Path:
        return source.half(self.stack) if spec.precision == FLOAT16 else source.file


def _torch(model: Any) -> Any:
    """The model that transformers loaded."""
    return model.torch_model
