"""The pipeline of OpenVINO GenAI: plain, with prompt lookup, or with a draft model. It takes one request at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from draftproof.bench.contender import Delivery, Order, Served
from draftproof.bench.contenders.arrivals import Clock, check_slots, one_by_one
from draftproof.bench.contenders.heard import Heard
from draftproof.detokenise import text_of
from draftproof.errors import Unavailable, Unsupported
from draftproof.models.language import Tokenizer

SEEDS = 2**32

ALL_AT_ONCE = 2**62
"""Tokens of a prompt in one pass: more than any has."""


@dataclass(frozen=True)
class GenAi:
    """A pipeline as a contender.

    Attributes:
        pipeline: see `pipeline`.
        tokenizer: that of the counts, of the same ids.
        name, engine, slots: see `Contender`.
        drafting: the fields of a `GenerationConfig` by which it drafts; none if it does not.
    """

    pipeline: Any
    tokenizer: Tokenizer
    name: str
    engine: str
    drafting: Mapping[str, int] = field(default_factory=dict)
    slots: int = 1
    clock: Clock = field(default_factory=Clock)

    @property
    def drafts(self) -> bool:
        return bool(self.drafting)

    def serve(self, orders: Sequence[Order], slots: int = 1) -> Served:
        """See `Contender.serve`."""
        check_slots(self, slots)
        return one_by_one(orders, self._answer, self.clock)

    def _answer(self, order: Order, since: Callable[[], float]) -> Delivery:
        import openvino

        heard = Heard(since)
        try:
            found = self.pipeline.generate(openvino.Tensor(np.array([order.prompt], np.int64)), self._config(order), _streamer(heard))
        except RuntimeError as error:
            raise Unavailable(f"{self.name} failed: {_reason(error)}") from error
        text = text_of(found.tokens[0], self.tokenizer.vocabulary)
        return Delivery(text, tuple(heard.times), *self._counted(found.extended_perf_metrics))

    def _counted(self, told: Any) -> tuple[int, int] | tuple[None, None]:
        """Drafted and accepted tokens, where the pipeline tells them."""
        if not self.drafts:
            return 0, 0
        if not hasattr(told, "get_num_draft_tokens"):
            return None, None
        return told.get_num_draft_tokens(), told.get_num_accepted_tokens()

    def _config(self, order: Order) -> Any:
        import openvino_genai

        config = openvino_genai.GenerationConfig()
        config.max_new_tokens, config.do_sample = order.max_tokens, order.temperature > 0
        config.rng_seed = order.seed % SEEDS
        config.stop_token_ids = set(self.tokenizer.end_tokens)
        if order.temperature:
            config.temperature = order.temperature
        for name, value in self.drafting.items():
            setattr(config, name, value)
        return config


def pipeline(folder: Path, config: Mapping[str, str], *, lookup: bool = False, draft: Path | None = None) -> Any:
    """A pipeline that is ready.

    Args:
        folder: of an imported model, see `models.imported`.
        config: of OpenVINO, for target and draft.

    Raises:
        Unsupported: the package is missing, or it cannot load the model.
    """
    try:
        import openvino_genai
    except ModuleNotFoundError as error:
        raise Unsupported("this engine needs OpenVINO GenAI: pip install 'draftproof[cpu]'") from error
    drafting: dict[str, Any] = {"prompt_lookup": True} if lookup else {}
    try:
        if draft:
            drafting = {"draft_model": openvino_genai.draft_model(str(draft), "CPU", scheduler_config=_scheduling(), **config)}
        return openvino_genai.LLMPipeline(str(folder), "CPU", scheduler_config=_scheduling(), **drafting, **config)
    except RuntimeError as error:
        raise Unsupported(f"openvino_genai cannot load {folder}: {_reason(error)}") from error


def _scheduling() -> Any:
    """As the pipeline schedules by itself, but for what it would keep of earlier prompts.

    A benchmark repeats its prompts. With that cache a repeated one of 936 tokens took a fifth of the time of a new one; and with a draft
    model, some sampled texts end in a failed check inside the library (2026.4.1).
    """
    import openvino_genai

    scheduling = openvino_genai.SchedulerConfig()
    scheduling.enable_prefix_caching = False
    scheduling.max_num_batched_tokens = ALL_AT_ONCE
    return scheduling


def _streamer(heard: Heard) -> Any:
    """What the pipeline calls for every burst, with one token or with several."""
    import openvino_genai

    class Streamer(openvino_genai.StreamerBase):  # type: ignore[misc]
        def write(self, token: int | Sequence[int]) -> Any:
            heard.burst([token] if isinstance(token, int) else token)
            return openvino_genai.StreamingStatus.RUNNING

        def end(self) -> None:
            pass

    return Streamer()


def _reason(error: RuntimeError) -> str:
    """The last line of what OpenVINO says, without the place in its own sources."""
    return (str(error).strip() or "no reason given").splitlines()[-1].partition(" failed at ")[0]
