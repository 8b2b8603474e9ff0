"""One pass of a torch model over one or several requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np

from draftproof.models.hf_cache import HfCache, append, join
from draftproof.models.hf_fit import layer_kinds, windows
from draftproof.models.hf_layout import Layout, entries, lay_out
from draftproof.models.protocol import Block
from draftproof.shapes import Array, Int, Shaped


@dataclass(frozen=True, eq=False)
class Pass:
    """Runs `torch_model`. A chain of one request goes through under the model's own mask, anything else under an explicit one."""

    torch_model: Any

    @cached_property
    def windows(self) -> dict[str, int | None] | None:
        return windows(self.torch_model.config)

    @cached_property
    def _kinds(self) -> list[type]:
        return layer_kinds(self.torch_model)

    @cached_property
    def _arguments(self) -> frozenset[str]:
        return frozenset(signature(self.torch_model.forward).parameters)

    def takes(self, argument: str) -> bool:
        """True if the model's forward pass names the argument."""
        return argument in self._arguments

    def start(self) -> HfCache:
        from transformers import DynamicCache

        cache = DynamicCache()
        cache.layers = [kind() for kind in self._kinds]
        return HfCache(cache)

    def run(self, caches: Sequence[HfCache], blocks: Sequence[Block]) -> list[Shaped[np.ndarray, "position vocab"]]:
        """The rows of every block, which its cache then holds. If the model fails, caches may hold parts of a block."""
        keep = 1 + max(len(block.drafted) for block in blocks)
        if len(blocks) == 1 and blocks[0].is_chain:
            logits = self._forward(np.array([[*blocks[0].tokens, *blocks[0].drafted]]), caches[0], keep)
        else:
            layout = lay_out([cache.length for cache in caches], blocks)
            joined = caches[0] if len(caches) == 1 else HfCache(join([cache.entries for cache in caches], self.start().entries))
            logits = self._forward(layout.tokens, joined, keep, layout)
            if len(caches) > 1:
                for row, (cache, block) in enumerate(zip(caches, blocks, strict=True)):
                    append(cache.entries, joined.entries, row, entries(block))
        return [logits[row, -1 - len(block.drafted) :] for row, block in enumerate(blocks)]

    def _forward(
        self, tokens: Int[np.ndarray, "batch fed"], cache: HfCache, keep: int, layout: Layout | None = None
    ) -> Shaped[np.ndarray, "batch position vocab"]:
        """The logits of the last `keep` rows, or of more: a long prompt makes one row of logits, not one a token."""
        import torch

        model = self.torch_model
        given: dict[str, Any] = {"logits_to_keep": keep} if self.takes("logits_to_keep") else {}
        with torch.inference_mode():
            if layout is None:
                given["attention_mask"] = torch.ones((1, cache.length + tokens.shape[1]), dtype=torch.long, device=model.device)
            else:
                given["attention_mask"] = self._masks(layout)
                given["position_ids"] = torch.tensor(layout.fed_positions, device=model.device)
            ids = torch.tensor(tokens, device=model.device)
            output = model(input_ids=ids, cache=cache.entries, use_cache=True, return_dict=True, **given)
            return output.logits.float().cpu().numpy()

    def _masks(self, layout: Layout) -> Array | dict[str, Array]:
        """What is added to the scores of attention: one mask, or one for each type of layer."""
        import torch

        model, masks = self.torch_model, {}
        for kind, window in (self.windows or {"": None}).items():
            hidden = torch.tensor(~layout.within(window), device=model.device)[:, None]
            mask = torch.zeros(hidden.shape, dtype=model.dtype, device=model.device)
            masks[kind] = mask.masked_fill_(hidden, torch.finfo(model.dtype).min)
        return masks if len(masks) > 1 else next(iter(masks.values()))
