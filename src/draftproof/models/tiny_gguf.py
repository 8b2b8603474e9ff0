"""A tiny model as a GGUF file."""

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


def write_tiny_gguf(
    path: Path,
    *,
    seed: int = 0,
    layers: int = 2,
    context_length: int = 512,
    quantisation: str = "F16",
    near: Near | None = None,
    sharpness: float = 1.0,
) -> Path:
    """A Llama of width 64 with a byte-level tokenizer of 264 tokens.

    Args:
        seed, layers, near, sharpness: as in `tiny_model.Weights`.
        quantisation: of the matrices, as GGUF calls it, such as F16 or Q4_1.
    """
    try:
        import gguf
    except ModuleNotFoundError as error:
        raise Unsupported("writing GGUF needs the package gguf: pip install 'draftproof[cpu]'") from error
    kinds = [gguf.TokenType.CONTROL if token in CONTROLS else gguf.TokenType.NORMAL for token in TOKENS]
    writer = gguf.GGUFWriter(path, arch="llama")
    writer.add_name("tiny")
    kind = gguf.GGMLQuantizationType[quantisation]
    writer.add_file_type(gguf.LlamaFileType[f"MOSTLY_{quantisation}"])
    writer.add_context_length(context_length)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_dimension_count(HEAD_WIDTH)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_layer_norm_rms_eps(NORM_EPSILON)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(list(TOKENS))
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(pair) for pair in PAIRS])
    for add, name in zip((writer.add_unk_token_id, writer.add_bos_token_id, writer.add_eos_token_id), CONTROLS, strict=True):
        add(TOKENS.index(name))
    writer.add_pad_token_id(TOKENS.index(CONTROLS[-1]))
    writer.add_chat_template(CHAT)
    for name, values in Weights(seed, layers, near, sharpness).tensors():
        if values.ndim == 1:
            writer.add_tensor(f"{name}.weight", np.array(values))
        else:
            writer.add_tensor(f"{name}.weight", gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
