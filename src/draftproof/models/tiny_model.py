"""What a tiny model is, whatever file it is written to: its shape, its tokens and its random weights."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from draftproof.errors import BadRequest
from draftproof.shapes import Shaped
from draftproof.vocabulary import BYTES

WIDTH, HEADS, KV_HEADS, INNER = 64, 4, 2, 128
HEAD_WIDTH = WIDTH // HEADS
NORM_EPSILON, ROPE_BASE = 1e-5, 10000.0

CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
"""The unknown token, the beginning of a text and its end."""

PAIRS = (("h", "e"), ("i", "n"), ("t", "he"), ("o", "r"), ("e", "r"))
"""Merges of the tokenizer, so that some tokens have several bytes."""

TOKENS = (*sorted(BYTES, key=BYTES.__getitem__), *CONTROLS, *("".join(pair) for pair in PAIRS))
"""By id."""

CHAT = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{'<|im_start|>assistant\n'}}{% endif %}"
)


@dataclass(frozen=True)
class Near:
    """Another tiny model that the weights lean on, so that the laws of the two overlap.

    Attributes:
        seed: of the other.
        share: of the variance of every weight that is the other's, from 0 (nothing in common) to 1 (the same model).

    Raises:
        BadRequest: a share out of its range.
    """

    seed: int
    share: float

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise BadRequest(f"share is {self.share}; it must lie between 0 and 1")


@dataclass(frozen=True)
class Weights:
    """The weights of one tiny model.

    Attributes:
        seed: another seed, another model of the same vocabulary.
        layers: how many.
        near: a model that this one is like.
        sharpness: standard deviation of the logits. At 1 a law has an entropy of 5.1 nats, nearly that of the uniform one, 5.6.
    """

    seed: int = 0
    layers: int = 2
    near: Near | None = None
    sharpness: float = 1.0

    def tensors(self) -> Iterator[tuple[str, Shaped[np.ndarray, "..."]]]:
        """Names as in a GGUF file, and float32 values: a matrix as (out, in), or the ones of a norm.

        As there, the rows of queries and keys stand in the order of interleaved rotary embedding.
        """
        own = np.random.default_rng(self.seed)
        other = np.random.default_rng(self.near.seed) if self.near else None

        def matrix(*shape: int, scale: float | None = None) -> np.ndarray:
            values = own.standard_normal(shape)
            if self.near and other:
                values = (1 - self.near.share) ** 0.5 * values + self.near.share**0.5 * other.standard_normal(shape)
            return (values * (shape[-1] ** -0.5 if scale is None else scale)).astype(np.float32)

        ones = np.ones(WIDTH, np.float32)
        yield "token_embd", matrix(len(TOKENS), WIDTH, scale=1.0)
        for layer in range(self.layers):
            name = f"blk.{layer}"
            yield f"{name}.attn_norm", ones
            yield f"{name}.attn_q", matrix(WIDTH, WIDTH)
            for part in ("k", "v"):
                yield f"{name}.attn_{part}", matrix(HEAD_WIDTH * KV_HEADS, WIDTH)
            yield f"{name}.attn_output", matrix(WIDTH, WIDTH)
            yield f"{name}.ffn_norm", ones
            for part in ("gate", "up"):
                yield f"{name}.ffn_{part}", matrix(INNER, WIDTH)
            yield f"{name}.ffn_down", matrix(WIDTH, INNER)
        yield "output_norm", ones
        yield "output", matrix(len(TOKENS), WIDTH, scale=self.sharpness * WIDTH**-0.5)
