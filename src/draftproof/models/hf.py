"""A causal language model of transformers, on torch, on any device."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from draftproof.errors import BadRequest, Unsupported
from draftproof.models.hf_cache import HfCache
from draftproof.models.hf_exit import first_layers
from draftproof.models.hf_fit import check_fit, context_length, end_tokens
from draftproof.models.hf_layout import depths, entries
from draftproof.models.hf_load import load
from draftproof.models.hf_pass import Pass
from draftproof.models.hf_probe import check_rollback, obeys_masks
from draftproof.models.protocol import Block
from draftproof.shapes import Shaped

LONG = 64
"""A block of more entries gets a pass of its own: beside it, every other request would be padded to its width."""

CHUNK = 2048
"""A prompt is fed in parts of at most so many tokens, which bounds what a pass holds besides weights and cache."""


@dataclass(frozen=True, eq=False)
class HfModel:
    """The rows of `torch_model`, which is put into evaluation mode and otherwise left as it is.

    Requests with short blocks share a pass, as a padded rectangle under an explicit attention mask: on two cores eight
    requests of five rows took 72 ms together and 323 ms one by one (135 million weights in bfloat16, short contexts). Trees need
    the same mask. Whether the model obeys it is measured when it is first wanted; one that does not (positions by ALiBi,
    flash attention) gets a pass a request, and chains only.

    A row depends by rounding on what stands beside it: K + 1 rows in one pass differ from K + 1 passes by a mean total
    variation of 2e-6 in float32 and 2e-2 in bfloat16. So `row_invariant` is False.

    Rows are numpy float32 whatever the weights are, so that a draft of any other backend meets them on one carrier.

    Attributes:
        name: for reports; by default the model's class.

    Raises:
        Unsupported: a model that is not causal, has other parts, or cannot take a refused draft back. The message names it.
    """

    torch_model: Any
    name: str = ""
    row_invariant: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_fit(self.torch_model)
        self.torch_model.eval()
        check_rollback(self._passes, self.vocab)
        object.__setattr__(self, "name", self.name or type(self.torch_model).__name__)

    @classmethod
    def load(cls, source: str | PathLike[str], *, dtype: str = "float32", device: str = "cpu", allow_download: bool = False) -> "HfModel":
        """The model in a folder of safetensors or in a GGUF file, whose weights are then dequantised.

        Nothing else is ever read: no pickle, and no code that comes with a model. A name on the hub is fetched only with
        `allow_download`.

        Raises:
            BadRequest: there is nothing to read, or it is damaged; or an unknown dtype or device.
            Unsupported: what is there is not such a model, or is pickle.
        """
        torch_model = load(source, dtype=dtype, device=device, allow_download=allow_download)
        return cls(torch_model, Path(source).name or str(source))

    def early_exit(self, layers: int) -> "HfModel":
        """A second model: the first `layers` layers, then norm and head, on the same weights. Its caches are its own.

        Raises:
            BadRequest: fewer than one layer, or not fewer than the model has.
            Unsupported: a model whose body is not one list of layers.
        """
        return HfModel(first_layers(self.torch_model, layers), f"{self.name} up to layer {layers}")

    @cached_property
    def vocab(self) -> int:
        return int(self.torch_model.config.vocab_size)

    @cached_property
    def context_length(self) -> int:
        """The longest text, tokens, drafts included; `sys.maxsize` if the configuration knows no limit."""
        return context_length(self.torch_model.config)

    @cached_property
    def end_tokens(self) -> frozenset[int]:
        """The tokens that end a text, as `generate` of transformers takes them."""
        return end_tokens(self.torch_model)

    @cached_property
    def obeys_masks(self) -> bool:
        """Whether several requests may share a pass and a draft may be a tree; measured, in five short passes."""
        return obeys_masks(self._passes, self.vocab)

    @cached_property
    def _passes(self) -> Pass:
        return Pass(self.torch_model)

    def start(self) -> HfCache:
        return self._passes.start()

    def extend(self, caches: Sequence[HfCache], blocks: Sequence[Block]) -> list[Shaped[np.ndarray, "_ vocab"]]:
        """See `protocol.Model.extend`. If a pass fails, every cache is as it was.

        Raises:
            BadRequest: a text beyond the model's context, or a token outside its vocabulary.
            Unsupported: a tree, from a model that does not obey masks.
        """
        for cache, block in zip(caches, blocks, strict=True):
            self._check(cache, block)
        before = [cache.length for cache in caches]
        rows: dict[int, np.ndarray] = {}
        try:
            for group in self._groups(blocks):
                rows |= zip(group, self._run([caches[place] for place in group], [blocks[place] for place in group]), strict=True)
        except BaseException:
            for cache, length in zip(caches, before, strict=True):
                cache.truncate(length)
            raise
        return [rows[place] for place in range(len(blocks))]

    def _check(self, cache: HfCache, block: Block) -> None:
        needed = cache.length + max(depths(block)) + 1
        if needed > self.context_length:
            raise BadRequest(f"a text of {needed} tokens, its draft included; the context of {self.name} is {self.context_length}")
        for token in (*block.tokens, *block.drafted):
            if not 0 <= token < self.vocab:
                raise BadRequest(f"token {token} is outside the vocabulary of {self.name}, which has {self.vocab}")
        if not block.is_chain and not self.obeys_masks:
            raise Unsupported(f"{self.name} does not obey the attention mask that a tree needs; draft chains")

    def _groups(self, blocks: Sequence[Block]) -> list[list[int]]:
        """Which blocks share a pass, by their places."""
        short = [place for place, block in enumerate(blocks) if entries(block) <= LONG]
        if len(short) < 2 or not self.obeys_masks:
            return [[place] for place in range(len(blocks))]
        return [short, *([place] for place in range(len(blocks)) if place not in short)]

    def _run(self, caches: Sequence[HfCache], blocks: Sequence[Block]) -> list[np.ndarray]:
        if len(blocks) > 1:
            return self._passes.run(caches, blocks)
        tokens = list(blocks[0].tokens)
        while len(tokens) > CHUNK:
            self._passes.run(caches, [Block(tokens[:CHUNK])])
            del tokens[:CHUNK]
        return self._passes.run(caches, [blocks[0]._replace(tokens=tokens)])
