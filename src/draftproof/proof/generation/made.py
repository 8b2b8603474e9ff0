"""Arguments of `generate` that JSON cannot hold, made of values that it can, outside the program that is explored.

A watermark is a hash of the text. Its generator is seeded with the text, so its draws are no randomness; they are made
here, beforehand, where nothing is watched.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Made(NamedTuple):
    """Arguments of one configuration.

    Attributes:
        arguments: of `generate`.
        reset: puts back, before each call, what a call writes to them.
    """

    arguments: dict[str, Any]
    reset: Callable[[], None]


def made(given: Mapping[str, Any], target: Any, tokenizer: Any) -> Made:
    """The arguments that `given` describes. A stop string needs the tokenizer."""
    arguments: dict[str, Any] = {}
    reset: Callable[[], None] = _nothing
    for name, value in given.items():
        if name == "synthid_watermark":
            processor = _synthid(value)
            arguments["logits_processor"] = [processor]
            reset = _forgetting(processor)
        elif name == "green_watermark":
            arguments["logits_processor"] = [_green(value, target.config.vocab_size)]
        elif name == "allowed_after":
            arguments["prefix_allowed_tokens_fn"] = _allowed(value)
        elif name == "stop_after":
            arguments["stopping_criteria"] = [_stop(value)]
        else:
            arguments[name] = value
    if "stop_strings" in given:
        arguments["tokenizer"] = tokenizer
    return Made(arguments, reset)


def _nothing() -> None:
    pass


def _allowed(value: Mapping[str, list[int]]) -> Callable[[int, Any], list[int]]:
    return lambda _, text: value[str(int(text[-1]))]


def _stop(token: int) -> Any:
    """A criterion of the user's own: the text ends once its last token is this one."""
    from transformers import StoppingCriteria

    class StopAfter(StoppingCriteria):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            return input_ids[:, -1] == token

    return StopAfter()


def _synthid(value: Mapping[str, Any]) -> Any:
    from transformers.generation.logits_process import SynthIDTextWatermarkLogitsProcessor

    return SynthIDTextWatermarkLogitsProcessor(
        **value, sampling_table_size=64, sampling_table_seed=0, context_history_size=16, device="cpu"
    )


def _forgetting(processor: Any) -> Callable[[], None]:
    """As `generate` would make it anew for each call."""

    def reset() -> None:
        processor.state = None

    return reset


def _green(value: Mapping[str, Any], vocab: int) -> Any:
    """The library's own green lists, which depend on the last token alone, made beforehand."""
    import torch
    from transformers.generation.logits_process import WatermarkLogitsProcessor

    processor = WatermarkLogitsProcessor(vocab_size=vocab, device="cpu", **value)
    lists = [processor._get_greenlist_ids(torch.tensor([token])) for token in range(vocab)]
    processor._get_greenlist_ids = lambda text: lists[int(text[-1])]
    return processor
