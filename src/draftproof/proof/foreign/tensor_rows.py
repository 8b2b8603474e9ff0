"""Rows of a tensor that hold random numbers: which entry is largest, in what order they come, and where a value belongs."""

from typing import Any

from draftproof.proof.foreign.order import best, places_below, ranking
from draftproof.proof.foreign.shadow import Shadow
from draftproof.shapes import Array

ORDERED = ("topk", "sort", "argsort")
ROWS = {"argmax", "argmin", "max", "min", "amax", "amin", *ORDERED}
KNOWN = {"k", "dim", "keepdim", "largest", "sorted", "descending", "stable"}
ARGUMENTS = {"topk": ("k", "dim", "largest", "sorted"), "sort": ("dim", "descending"), "argsort": ("dim", "descending")}


def ranked_rows(shadow: Shadow, name: str, args: Any, kwargs: Any) -> Any:
    """What `torch.argmax`, `max`, `topk`, `sort` and their like return: places, values, or both."""
    import torch

    tensor, given = args[0], dict(zip(ARGUMENTS.get(name, ("dim", "keepdim")), args[1:], strict=False)) | kwargs
    if given.keys() - KNOWN:
        shadow.run.refuse(f"torch.{name} of random numbers with {', '.join(sorted(given.keys() - KNOWN))} has no exact rule")
    dim = _single(shadow, name, given.get("dim"))
    held = shadow.entries(tensor)
    numbered = torch.arange(tensor.numel()).reshape(tensor.shape)
    over_all = dim is None and name not in ORDERED
    rows = numbered.reshape(-1) if over_all else numbered.movedim(-1 if dim is None else dim, -1)
    count = given.get("k", rows.shape[-1] if name in ORDERED else 1)
    largest = given.get("largest", True) if name == "topk" else given.get("descending", name.endswith("max"))
    places = torch.tensor(
        [_ranked([held[number] for number in row], largest=largest, count=count) for row in rows.reshape(-1, rows.shape[-1]).tolist()]
    ).reshape(*rows.shape[:-1], count)
    numbers = rows.gather(-1, places)
    if not over_all:
        places, numbers = (found.movedim(-1, -1 if dim is None else dim).contiguous() for found in (places, numbers))
    if name not in ORDERED and not (given.get("keepdim", False) and not over_all):
        places, numbers = (found.squeeze(0 if over_all else dim) for found in (places, numbers))
    if name in ("argmax", "argmin", "argsort"):
        return places
    values = torch.empty(numbers.shape, dtype=tensor.dtype)
    shadow.put_entries(values, [held[number] for number in numbers.reshape(-1).tolist()])
    return values if over_all or name in ("amax", "amin") else (values, places)


def searched(shadow: Shadow, row: Array, values: Any, *, out_int32: bool = False, right: bool = False, **others: Any) -> Array:
    """What `torch.searchsorted` returns: where each value belongs in its ascending row."""
    import torch

    if others.keys() - {"side"} or others.get("side") not in (None, "left", "right"):
        shadow.run.refuse(f"torch.searchsorted of random numbers with {', '.join(others)} has no exact rule")
    wanted = shadow.entries(values) if isinstance(values, torch.Tensor) else [values]
    rows = [shadow.entries(one) for one in row.reshape(-1, row.shape[-1])]
    each = len(wanted) // len(rows)
    right = right or others.get("side") == "right"
    places = [places_below(rows[n // each if row.dim() > 1 else 0], value, right=right) for n, value in enumerate(wanted)]
    shape = values.shape if isinstance(values, torch.Tensor) else ()
    return torch.tensor(places, dtype=torch.int32 if out_int32 else torch.int64).reshape(shape)


def _single(shadow: Shadow, name: str, dim: Any) -> int | None:
    """The one dimension that is meant."""
    if not isinstance(dim, list | tuple):
        return dim
    return dim[0] if len(dim) == 1 else shadow.run.refuse(f"torch.{name} of random numbers over the dimensions {dim} has no exact rule")


def _ranked(row: list[Any], *, largest: bool, count: int) -> list[int]:
    return [best(row, largest=largest)] if count == 1 else ranking(row, largest=largest, count=count)
