"""The draws of torch, at the level below all its wrappers: `aten`."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from draftproof.proof.foreign.shadow import Shadow
from draftproof.proof.foreign.stage import Current
from draftproof.proof.foreign.standard import order, weighted, whole
from draftproof.proof.foreign.tensor_generators import note
from draftproof.shapes import Array


def drawn(current: Current, shadow: Shadow, func: Any, args: Any, kwargs: Any) -> Any:
    """What a draw gives: symbols, or plain numbers that were decided.

    Raises:
        Untracked: the draw has no exact rule, is not made on a CPU, or has random weights.
    """
    import torch

    name = func.overloadpacket.__name__
    given = dict(zip((argument.name for argument in func._schema.arguments), args, strict=False)) | kwargs
    tensors = [value for value in given.values() if isinstance(value, torch.Tensor)]
    device = torch.device(given.get("device") or (tensors[0].device if tensors else "cpu"))
    if device.type != "cpu":
        current.run.refuse(f"torch.{name} on {device.type}; a proof runs on the CPU, so move the program's tensors there: this")
    note(given.get("generator"), current.run)
    rule = RULES.get(name)
    if rule is None:
        current.run.refuse(f"torch.{name} has no exact rule")
    if name in ("multinomial", "bernoulli") and shadow.is_live(tensors[0]):
        current.run.refuse(f"torch.{name} with random weights has no exact rule")
    return rule(current, shadow, given)


def _rand(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    import torch

    out = given.get("out")
    tensor = torch.empty(given["size"], dtype=given.get("dtype")) if out is None else out.resize_(given["size"])
    return _uniform_(current, shadow, {"self": tensor})


def _rand_like(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    import torch

    return _uniform_(current, shadow, {"self": torch.empty_like(given["self"], dtype=given.get("dtype"))})


def _uniform_(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    tensor, low, high = given["self"], given.get("from", 0.0), given.get("to", 1.0)
    shadow.put_entries(tensor, [current.uniform() * (high - low) + low for _ in range(tensor.numel())])
    return tensor


def _exponential_(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    tensor = given["self"]
    shadow.put_entries(tensor, [current.exponential() / given.get("lambd", 1.0) for _ in range(tensor.numel())])
    return tensor


def _multinomial(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    """Weights are taken as the rationals their floats are; without replacement, in the order drawn."""
    import torch

    weights, count = given["self"], given["num_samples"]
    rows = weights.reshape(-1, weights.shape[-1]).double()
    if not bool(((rows >= 0) & (rows < float("inf"))).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    picked = []
    for row in rows.tolist():
        left = [Fraction(weight) for weight in row]
        for _ in range(count):
            if not any(left):
                raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0, or fewer than are drawn)")
            picked.append(weighted(current, left, "torch.multinomial"))
            if not given.get("replacement", False):
                left[picked[-1]] = Fraction(0)
    return _placed(shadow, given, torch.tensor(picked, dtype=torch.int64).reshape(*weights.shape[:-1], count))


def _bernoulli(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    import torch

    tensor, chance = given["self"], given.get("p")
    chances = tensor if chance is None else torch.as_tensor(chance, dtype=torch.float64).expand(tensor.shape)
    return _placed(shadow, given, _coins(current, chances).to(tensor.dtype))


def _bernoulli_(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    import torch

    tensor = given["self"]
    chances = torch.as_tensor(given.get("p", 0.5), dtype=torch.float64).expand(tensor.shape)
    shadow.clear(tensor)
    return tensor.copy_(_coins(current, chances))


def _coins(current: Current, chances: Array) -> Array:
    import torch

    entries = [Fraction(chance) for chance in chances.double().reshape(-1).tolist()]
    if any(not 0 <= chance <= 1 for chance in entries):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    coins = [1 - weighted(current, [chance, 1 - chance], "torch.bernoulli") for chance in entries]
    return torch.tensor(coins, dtype=torch.float64).reshape(chances.shape)


def _randint(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    import torch

    low, high = given.get("low", 0), given["high"]
    shape = given["size"] if "size" in given else given["self"].shape
    kind = given.get("dtype") or (given["self"].dtype if "self" in given else torch.int64)
    values = [low + whole(current, high - low, "torch.randint") for _ in range(torch.Size(shape).numel())]
    return _placed(shadow, given, torch.tensor(values, dtype=kind).reshape(shape))


def _random_(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    import torch

    tensor, low, high = given["self"], given.get("from") or 0, given.get("to")
    if high is None:
        current.run.refuse("torch.random_ without a bound, which has a path for every number of its type")
    values = [low + whole(current, high - low, "torch.random_") for _ in range(tensor.numel())]
    shadow.clear(tensor)
    return tensor.copy_(torch.tensor(values, dtype=torch.int64).reshape(tensor.shape))


def _randperm(current: Current, shadow: Shadow, given: dict[str, Any]) -> Array:
    import torch

    return _placed(shadow, given, torch.tensor(order(current, given["n"], "torch.randperm"), dtype=given.get("dtype") or torch.int64))


def _placed(shadow: Shadow, given: dict[str, Any], result: Array) -> Array:
    """The result, in the tensor that was given for it if there is one."""
    out = given.get("out")
    if out is None:
        return result
    shadow.clear(out)
    return out.resize_(result.shape).copy_(result)


RULES: dict[str, Callable[[Current, Shadow, dict[str, Any]], Array]] = {
    "rand": _rand, "rand_like": _rand_like, "uniform_": _uniform_, "exponential_": _exponential_, "multinomial": _multinomial,
    "bernoulli": _bernoulli, "bernoulli_": _bernoulli_, "randint": _randint, "randint_like": _randint, "randperm": _randperm,
    "random_": _random_,
}  # fmt: skip
