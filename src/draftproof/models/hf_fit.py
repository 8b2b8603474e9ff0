"""Which torch models can be decoded here, and what their configurations say of them.

A draft may be refused, so the cache must be able to forget it: attention layers can, recurrent ones cannot.
"""

import sys
from typing import Any

from draftproof.errors import Unsupported

STRETCHED = ("dynamic", "longrope")
"""Rotary embeddings whose angles change once a text is longer than the original context: the keys of its beginning, which
are cached, would then depend on how the text was fed."""


def check_fit(torch_model: Any) -> None:
    """Return if the model is a causal language model of attention layers alone.

    Raises:
        Unsupported: naming the model's class and what it is instead.
    """
    from transformers import PreTrainedModel

    name = type(torch_model).__name__
    if not isinstance(torch_model, PreTrainedModel):
        raise Unsupported(f"{name} is no transformers model; give one that AutoModelForCausalLM makes")
    config = torch_model.config
    if getattr(config, "is_encoder_decoder", False):
        raise Unsupported(f"{name} is an encoder and a decoder; give a model that is one decoder, which reads its own text alone")
    if config.get_text_config(decoder=True) is not config:
        raise Unsupported(f"{name} joins a language model with other parts ({', '.join(config.sub_configs)}); give a language model alone")
    if torch_model.get_output_embeddings() is None:
        raise Unsupported(f"{name} has no head that gives logits; give the model that AutoModelForCausalLM makes of it")
    if torch_model._is_stateful:
        raise _forgetful(name, "its layers keep")
    layer_kinds(torch_model)


def layer_kinds(torch_model: Any) -> list[type]:
    """The class of a cache layer for each of the model's layers, all of which drop nothing by themselves.

    Raises:
        Unsupported: a layer remembers anything but one key and one value a token.
    """
    from transformers.cache_utils import DummyLayer, DynamicLayer, DynamicSlidingWindowLayer

    plain = {DynamicLayer: DynamicLayer, DynamicSlidingWindowLayer: DynamicLayer, DummyLayer: DummyLayer}
    name = type(torch_model).__name__
    try:
        kinds = [type(layer) for layer in _layers(torch_model.config)]
    except KeyError as error:
        raise _forgetful(name, f"its layers of type {error} keep") from error
    for place, kind in enumerate(kinds):
        if kind not in plain:
            raise _forgetful(name, f"its layer {place} keeps, as {kind.__name__},")
    return [plain[kind] for kind in kinds]


def _layers(config: Any) -> list[Any]:
    from transformers import DynamicCache

    return list(DynamicCache(config=config).layers)


def _forgetful(name: str, keeps: str) -> Unsupported:
    return Unsupported(
        f"{name} cannot take a refused draft back: {keeps} more than a key and a value a token; use a model of attention layers alone"
    )


def windows(config: Any) -> dict[str, int | None] | None:
    """How many positions the layers of each type look back, None for all; None in place of the dict if that does not describe them."""
    from transformers.cache_utils import DummyLayer

    # Chunks are no windows, and the local layers of GPT-Neo count columns instead of positions.
    if getattr(config, "attention_chunk_size", None) or "local" in getattr(config, "attention_layers", ()):
        return None
    found: dict[str, int | None] = {}
    layers = _layers(config)
    for kind, layer in zip(getattr(config, "layer_types", None) or [""] * len(layers), layers, strict=True):
        window = getattr(layer, "sliding_window", None)
        if kind not in ("", "full_attention", "sliding_attention"):
            return None
        if not isinstance(layer, DummyLayer) and found.setdefault(kind, window) != window:
            return None
    return found


def context_length(config: Any) -> int:
    """The longest text, tokens, whose rows depend on the text alone; `sys.maxsize` if the configuration knows no limit."""
    rope = getattr(config, "rope_parameters", None) or {}
    parts = [rope, *(part for part in rope.values() if isinstance(part, dict))]
    originals = [part.get("original_max_position_embeddings") for part in parts if part.get("rope_type") in STRETCHED]
    limits = [getattr(config, "max_position_embeddings", None), *originals]
    return min((limit for limit in limits if limit and limit > 0), default=sys.maxsize)


def end_tokens(torch_model: Any) -> frozenset[int]:
    """The tokens that end a text, as `generate` of transformers takes them."""
    for settings in (getattr(torch_model, "generation_config", None), torch_model.config):
        ends = getattr(settings, "eos_token_id", None)
        if ends is not None:
            return frozenset([ends] if isinstance(ends, int) else ends)
    return frozenset()
