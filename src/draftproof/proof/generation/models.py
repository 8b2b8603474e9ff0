"""Tiny models of transformers, built on the spot: a target, and a draft of the same kind."""

from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from draftproof.errors import BadRequest
from draftproof.proof.decoders.standard import family
from draftproof.proof.generation.letters import LETTERS, letters
from draftproof.proof.generation.tabular import tabular

ATTENTION = {
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "max_position_embeddings": 64,
}
"""The smallest shape in which every part of a layer does something."""

LINEAR = {"linear_num_key_heads": 2, "linear_num_value_heads": 2, "linear_key_head_dim": 4, "linear_value_head_dim": 4}
SHARED = {"global_head_dim": 4, "hidden_size_per_layer_input": 0, "vocab_size_per_layer_input": 0, "sliding_window": 8}

KINDS: MappingProxyType[str, tuple[str, dict[str, Any]]] = MappingProxyType(
    {
        "llama": ("llama", ATTENTION),
        "gpt2": ("gpt2", {"n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 64}),
        "mistral": ("mistral", ATTENTION | {"sliding_window": 3}),
        "gemma3": ("gemma3_text", ATTENTION | {"sliding_window": 3, "layer_types": ["sliding_attention", "full_attention"]}),
        "lfm2": ("lfm2", ATTENTION | {"conv_L_cache": 3, "layer_types": ["conv", "full_attention"]}),
        "qwen3.5": ("qwen3_5_text", ATTENTION | LINEAR | {"layer_types": ["linear_attention", "full_attention"]}),
        "mamba": ("mamba", {"hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}),
        "t5": ("t5", {"d_model": 8, "d_kv": 4, "d_ff": 16, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0}),
        "gemma4": ("gemma4_text", ATTENTION | SHARED | {"layer_types": ["sliding_attention", "full_attention"]}),
    }
)
"""By name: the type in transformers and its shape. The windows of the first kinds are shorter than the texts, so they slide."""


class Pair(NamedTuple):
    """A target and a draft, torch models in float64.

    Attributes:
        tokenizers: of the two, where they differ.
    """

    target: Any
    draft: Any
    tokenizers: tuple[Any, Any] | None = None


@cache
def pair(name: str) -> Pair:
    """The models of that name: `table 1` to `table 3` are the standard tables, the others have random weights.

    `letters ...` are a Llama and a draft with other tokens, of which the first three are the target's.

    Raises:
        BadRequest: there are no such models.
    """
    kind, _, rest = name.partition(" ")
    if kind == "table":
        fixture = family("loop")[int(rest) - 1]
        return Pair(tabular(fixture.target), tabular(fixture.draft))
    if kind == "letters" and rest in LETTERS:
        return Pair(_random("llama", 3, seed=1), _random("llama", len(LETTERS[rest]), seed=2), (letters("abc"), letters(LETTERS[rest])))
    if name == "gemma4":
        return Pair(_random(name, 3, seed=1), _single_position(3, seed=6))
    if name in KINDS:
        return Pair(_random(name, 3, seed=1), _random(name, 3, seed=2))
    others = [*(f"letters {rest}" for rest in LETTERS), *KINDS]
    raise BadRequest(f"no models are called {name!r}; there are table 1, table 2, table 3, {', '.join(others)}")


def _config(name: str, vocab: int, **changed: Any) -> Any:
    from transformers import AutoConfig

    kind, shape = KINDS[name]
    named = {"vocab_size": vocab, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    return AutoConfig.for_model(kind, **named, **shape, **changed)


def _random(name: str, vocab: int, seed: int) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    kind = AutoModelForSeq2SeqLM if name == "t5" else AutoModelForCausalLM
    return _filled(kind.from_config(_config(name, vocab), attn_implementation="eager"), seed)


def _single_position(vocab: int, seed: int) -> Any:
    """A draft that reads the target's cache and keeps none."""
    from transformers import Gemma4AssistantConfig, Gemma4AssistantForCausalLM

    config = Gemma4AssistantConfig(text_config=_config("gemma4", vocab, num_kv_shared_layers=2), backbone_hidden_size=8)
    return _filled(Gemma4AssistantForCausalLM._from_config(config, attn_implementation="eager"), seed)


def _filled(model: Any, seed: int) -> Any:
    """In float64 with weights that give laws far from uniform and far from point masses."""
    import torch

    model = model.double().eval()
    model.generation_config.pad_token_id = -1  # none of the tokens, or the library would hide one of them from attention
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed)
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(0, 0.5)
    return model
