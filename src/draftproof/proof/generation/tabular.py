"""Tables as models of transformers, whose answer depends on what they read back from their cache.

A table that looked at the tokens it is fed would hide a wrong cache. These write every token into the cache as a key, and
look up the law after the last two tokens that the cache returns.
"""

from functools import cache
from typing import Any

from draftproof.proof.decoders.fixture import Table


def tabular(table: Table) -> Any:
    """A `PreTrainedModel` in float64 whose laws are the table's, up to rounding."""
    import torch

    rows = torch.tensor([[[float(p) for p in row] for row in rows] for rows in table.rows], dtype=torch.float64)
    config, model = _classes()
    made = model(config(vocab_size=table.vocab)).double().eval()
    made.table.data = rows.log()
    return made


@cache
def _classes() -> tuple[Any, Any]:
    """The classes of configuration and model; made once, and only where torch may be imported."""
    import torch
    from transformers import DynamicCache, GenerationMixin, PreTrainedConfig, PreTrainedModel
    from transformers.modeling_outputs import CausalLMOutputWithPast

    class TabularConfig(PreTrainedConfig):  # type: ignore[misc]
        model_type = "draftproof_table"
        hidden_size: int = 1
        num_hidden_layers: int = 1
        num_attention_heads: int = 1
        num_key_value_heads: int = 1
        head_dim: int = 1
        vocab_size: int = 3

    class Tabular(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
        config_class = TabularConfig

        def __init__(self, config: Any) -> None:
            super().__init__(config)
            self.table = torch.nn.Parameter(torch.zeros((config.vocab_size,) * 3))
            self.post_init()

        def _init_weights(self, module: Any) -> None:
            pass

        def forward(
            self, input_ids: Any, attention_mask: Any = None, cache: Any = None, use_cache: bool = True, logits_to_keep: int = 0, **_: Any
        ) -> Any:
            cache = DynamicCache() if cache is None else cache
            start, fed = int(cache.get_seq_length()), input_ids.shape[1]
            keys = input_ids.to(self.table.dtype)[:, None, :, None]
            seen = cache.update(keys, keys, 0)[0][:, 0, :, 0].long()
            before = torch.cat([torch.zeros_like(seen[:, :1]), seen], dim=1)
            logits = self.table[before[:, start : start + fed], seen[:, start : start + fed]]
            return CausalLMOutputWithPast(logits=logits[:, -logits_to_keep:], cache=cache if use_cache else None)

    return TabularConfig, Tabular
