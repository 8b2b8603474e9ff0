"""A tiny model as a folder of safetensors, as transformers reads it: the weights and the tokenizer of the GGUF file of the same seed."""

import json
from pathlib import Path

import numpy as np

from draftproof.errors import Unsupported
from draftproof.models.tiny_model import (
    CHAT,
    CONTROLS,
    HEAD_WIDTH,
    HEADS,
    INNER,
    KV_HEADS,
    NORM_EPSILON,
    PAIRS,
    ROPE_BASE,
    TOKENS,
    WIDTH,
    Near,
    Weights,
)
from draftproof.shapes import Shaped

NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""From the names of a GGUF file, those of a layer without the layer."""

ROTATED = {"attn_q": HEADS, "attn_k": KV_HEADS}
"""Matrices whose rows depend on how rotary embedding pairs them, and their heads."""


def write_tiny_folder(
    path: Path, *, seed: int = 0, layers: int = 2, context_length: int = 512, near: Near | None = None, sharpness: float = 1.0
) -> Path:
    """The model that `write_tiny_gguf` writes by the same arguments as F16, its rounded weights as float32.

    Args:
        path: of the folder, which is made.
        seed, layers, near, sharpness: as in `tiny_model.Weights`.
    """
    try:
        from safetensors.numpy import save_file
    except ModuleNotFoundError as error:
        raise Unsupported("writing safetensors needs the package safetensors: pip install 'draftproof[hf]'") from error
    path.mkdir(parents=True, exist_ok=True)
    tensors = dict(_renamed(name, values) for name, values in Weights(seed, layers, near, sharpness).tensors())
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    (path / "config.json").write_text(json.dumps(_config(layers, context_length), indent=2))
    _write_tokenizer(path)
    return path


def _renamed(name: str, values: Shaped[np.ndarray, "..."]) -> tuple[str, Shaped[np.ndarray, "..."]]:
    *layer, part = name.split(".")
    rounded = values.astype(np.float16).astype(np.float32)
    if part in ROTATED:
        rounded = _halves(rounded, ROTATED[part])
    return ".".join([*(f"model.layers.{number}" for number in layer[1:]), NAMES[part], "weight"]), rounded


def _halves(matrix: Shaped[np.ndarray, "out in"], heads: int) -> Shaped[np.ndarray, "out in"]:
    """The rows of every head, which GGUF keeps as pairs, with the first of each pair before all the second: as transformers turns them."""
    pairs = matrix.reshape(heads, HEAD_WIDTH // 2, 2, -1)
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(matrix.shape)


def _config(layers: int, context_length: int) -> dict[str, object]:
    unknown, begin, end = map(TOKENS.index, CONTROLS)
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "dtype": "float32",
        "vocab_size": len(TOKENS),
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": layers,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD_WIDTH,
        "max_position_embeddings": context_length,
        "rms_norm_eps": NORM_EPSILON,
        "rope_parameters": {"rope_type": "default", "rope_theta": ROPE_BASE},
        "tie_word_embeddings": False,
        "unk_token_id": unknown,
        "bos_token_id": begin,
        "eos_token_id": end,
        "pad_token_id": end,
    }


def _write_tokenizer(path: Path) -> None:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokenizer = Tokenizer(models.BPE({token: place for place, token in enumerate(TOKENS)}, list(PAIRS)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in CONTROLS])
    tokenizer.save(str(path / "tokenizer.json"))
    named = dict(zip(("unk_token", "bos_token", "eos_token"), CONTROLS, strict=True))
    facts = {"tokenizer_class": "PreTrainedTokenizerFast", **named, "pad_token": CONTROLS[-1], "chat_template": CHAT}
    (path / "tokenizer_config.json").write_text(json.dumps(facts, indent=2))
