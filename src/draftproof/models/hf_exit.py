"""A model made of the first layers of another, on the same weights: a drafter that costs no memory."""

import copy
from typing import Any

from draftproof.errors import BadRequest, Unsupported


def first_layers(torch_model: Any, count: int) -> Any:
    """The embedding, the first `count` layers, the norm and the head of `torch_model`, which shares them all and is left as it was.

    Raises:
        BadRequest: fewer than one layer, or not fewer than the model has.
        Unsupported: the model's body is not one list of layers, each with keys of its own.
    """
    name, body, config = type(torch_model).__name__, torch_model.base_model, torch_model.config
    total = config.num_hidden_layers
    lists = [place for place, part in body.named_children() if type(part).__name__ == "ModuleList" and len(part) == total]
    if len(lists) != 1 or body is torch_model:
        raise Unsupported(f"{name} is not one list of {total} layers between an embedding and a norm, so it has no early exit")
    if getattr(config, "num_kv_shared_layers", 0) or getattr(config, "kv_sharing_modes", None):
        raise Unsupported(f"the layers of {name} share their keys, so its first ones are no model of their own")
    if not 1 <= count < total:
        raise BadRequest(f"an early exit after {count} layers; {name} has {total}, so give 1 to {total - 1}")
    shorter = copy.deepcopy(config)
    shorter.num_hidden_layers = count
    if getattr(config, "layer_types", None) is not None:
        shorter.layer_types = config.layer_types[:count]
    exit_body = _twin(body, shorter, {lists[0]: getattr(body, lists[0])[:count]})
    return _twin(torch_model, shorter, {torch_model.base_model_prefix: exit_body})


def _twin(module: Any, config: Any, changed: dict[str, Any]) -> Any:
    """A module with the same parts, but for those `changed`, and another configuration."""
    twin = copy.copy(module)
    twin._modules = module._modules | changed
    twin.config = config
    return twin
