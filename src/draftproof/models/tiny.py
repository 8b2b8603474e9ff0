"""Random language models small enough to be written, loaded and decoded in seconds: real files, real engines, no meaning.

What they write looks like noise, but it is a law all the same: every token depends on all tokens before it, and a fault of
an engine shows as it would with a large model.
"""

from pathlib import Path

import numpy as np

from draftproof.errors import Unsupported
from draftproof.vocabulary import BYTES

CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
PAIRS = (("h", "e"), ("i", "n"), ("t", "he"), ("o", "r"), ("e", "r"))
"""Merges of the tokenizer, so that some tokens have several bytes."""

CHAT = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{'<|im_start|>assistant\n'}}{% endif %}"
)


def write_tiny_gguf(path: Path, *, seed: int = 0, layers: int = 2, context_length: int = 512, quantisation: str = "F16") -> Path:
    """A Llama of width 64 with a byte-level tokenizer of 264 tokens.

    Args:
        seed: of the weights: another seed, another model of the same vocabulary.
        quantisation: of the matrices, as GGUF calls it, such as F16 or Q4_1.
    """
    try:
        import gguf
    except ModuleNotFoundError as error:
        raise Unsupported("writing GGUF needs the package gguf: pip install 'draftproof[cpu]'") from error
    width, heads, kv_heads, inner = 64, 4, 2, 128
    bytes_ = sorted(BYTES, key=BYTES.__getitem__)
    tokens = [*bytes_, *CONTROLS, *("".join(pair) for pair in PAIRS)]
    kinds = [gguf.TokenType.CONTROL if token in CONTROLS else gguf.TokenType.NORMAL for token in tokens]
    writer = gguf.GGUFWriter(path, arch="llama")
    writer.add_name("tiny")
    kind = gguf.GGMLQuantizationType[quantisation]
    writer.add_file_type(gguf.LlamaFileType[f"MOSTLY_{quantisation}"])
    writer.add_context_length(context_length)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_dimension_count(width // heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(pair) for pair in PAIRS])
    for add, name in zip((writer.add_unk_token_id, writer.add_bos_token_id, writer.add_eos_token_id), CONTROLS, strict=True):
        add(tokens.index(name))
    writer.add_pad_token_id(tokens.index(CONTROLS[-1]))
    writer.add_chat_template(CHAT)
    random = np.random.default_rng(seed)

    def matrix(name: str, *shape: int, scale: float | None = None) -> None:
        values = random.standard_normal(shape) * (shape[-1] ** -0.5 if scale is None else scale)
        stored = gguf.quants.quantize(values.astype(np.float32), kind)
        writer.add_tensor(f"{name}.weight", stored, raw_dtype=kind)

    def ones(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))

    matrix("token_embd", len(tokens), width, scale=1.0)
    for layer in range(layers):
        name = f"blk.{layer}"
        ones(f"{name}.attn_norm")
        matrix(f"{name}.attn_q", width, width)
        for part in ("k", "v"):
            matrix(f"{name}.attn_{part}", width // heads * kv_heads, width)
        matrix(f"{name}.attn_output", width, width)
        ones(f"{name}.ffn_norm")
        for part in ("gate", "up"):
            matrix(f"{name}.ffn_{part}", inner, width)
        matrix(f"{name}.ffn_down", width, inner)
    ones("output_norm")
    matrix("output", len(tokens), width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
