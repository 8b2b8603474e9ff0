"""The dozen array operations a rule may use, the same on every carrier of numbers.

A rule is arithmetic. It runs unchanged on numpy arrays of `Fraction` (exact proofs), numpy floats and torch tensors
(production), because it uses these functions and, besides them, only what all three carriers share: + - * /,
comparison, integer indexing, `clip(min=)`, `clip(max=)`, `sum(-1)`, `cumprod(-1)`, `argmax(-1)`.

Token ids and node numbers are always numpy integers; every carrier can be indexed by them. Torch is never imported
here: a tensor brings its own methods.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.errors import BadLaw
from draftproof.shapes import Array, Bool, Int, Shaped

# A float row may miss 1 by the rounding of its own sum. float32 rows of 50,000 entries were seen to miss it by 2e-6;
# bfloat16 is refused: its rows miss by up to 4e-3 and must be widened before they are normalised.
SUM_TOLERANCE = 1e-4


def at(laws: Shaped[Array, "batch draft vocab"], tokens: Int[np.ndarray, "batch draft"]) -> Shaped[Array, "batch draft"]:
    """The probability of each token under the law in its own place. Token -1 (nothing drafted) reads the last entry."""
    batch, draft = tokens.shape
    return laws[np.arange(batch)[:, None], np.arange(draft)[None, :], tokens]


def pick_row(rows: Shaped[Array, "batch position *rest"], index: Int[np.ndarray, " batch"]) -> Shaped[Array, "batch *rest"]:
    """One row of each batch entry."""
    return rows[np.arange(len(index)), index]


def stack(parts: Sequence[Shaped[Array, "..."]], axis: int = 1) -> Shaped[Array, "..."]:
    """The parts side by side on a new axis, by default the one after the batch."""
    if isinstance(parts[0], np.ndarray):
        return np.stack(parts, axis)
    return sys.modules["torch"].stack(list(parts), axis)


def indicator(mask: Bool[np.ndarray, "*shape"], like: Array) -> Shaped[Array, "*shape"]:
    """The mask as numbers 0 and 1 of the same carrier as `like`."""
    if not isinstance(like, np.ndarray):
        return like.new_tensor(mask)
    if is_exact(like):
        return np.where(mask, Fraction(1), Fraction(0))  # type: ignore[call-overload]  # numpy's stubs know no objects
    return mask.astype(like.dtype)


def one_hot(tokens: Int[np.ndarray, "*shape"], vocab: int, like: Array) -> Shaped[Array, "*shape vocab"]:
    """The point mass at each token; token -1 gives a row of zeros."""
    return indicator(tokens[..., None] == np.arange(vocab), like)


def ones(like: Shaped[Array, "batch *rest"]) -> Shaped[Array, " batch"]:
    """A column of ones of the same carrier."""
    return indicator(np.ones(like.shape[0], bool), like)


def ratio(numerator: Shaped[Array, "*shape"], denominator: Shaped[Array, "*shape"]) -> Shaped[Array, "*shape"]:
    """numerator / denominator, and 0 where the denominator is 0: what was never drafted is never accepted."""
    empty = denominator == 0
    return numerator * ~empty / (denominator * _unit(denominator) + empty)


def normalise(weights: Shaped[Array, "*axes vocab"], *, otherwise: Shaped[Array, "*axes vocab"]) -> Shaped[Array, "*axes vocab"]:
    """The weights divided by their sum; a row without weight becomes its row of `otherwise`.

    That is the one meaning of an empty residual. It arises when p = q, where a rejection has probability 0 (up to
    rounding, in floats), so that what follows it cannot move the law; emitting the target's row is then exact.
    A small sum is not an empty one: it is divided like any other.
    """
    total = weights.sum(-1)[..., None]
    empty = total == 0
    return weights / (total * _unit(total) + empty) + otherwise * empty


def is_exact(values: Array) -> bool:
    """True if the values are fractions."""
    return isinstance(values, np.ndarray) and values.dtype == object


def _unit(like: Array) -> Fraction | int:
    """1 as a factor that keeps a division exact: `clip` turns fractions into integers, and 0 / 1 would be a float."""
    return Fraction(1) if is_exact(like) else 1


def number(value: float | Fraction, like: Array) -> float | Fraction:
    """A parameter of a rule on the carrier of `like`: a fraction among fractions, a float among floats."""
    return Fraction(value) if is_exact(like) else float(value)


def to_numpy(values: Array) -> Any:
    """Booleans or integers that came of a comparison or an argmax, as numpy, wherever they live."""
    return values if isinstance(values, np.ndarray | np.generic) else values.detach().cpu().numpy()


def to_float64(row: Array) -> Shaped[np.ndarray, "*shape"]:
    """The same numbers as numpy float64, wherever they live."""
    return np.asarray(row if isinstance(row, np.ndarray) else row.detach().cpu().double(), dtype=np.float64)


def from_float64(values: Shaped[np.ndarray, "*shape"], like: Array) -> Shaped[Array, "*shape"]:
    """The same numbers on the carrier of `like`; as fractions they are exact."""
    if not isinstance(like, np.ndarray):
        return like.new_tensor(values)
    if is_exact(like):
        return np.array([Fraction(value) for value in values.flat], dtype=object).reshape(values.shape)
    return values.astype(like.dtype)


def check_laws(laws: Shaped[Array, "*axes vocab"], where: str, *, blank_allowed: bool = False) -> None:
    """Return if every row is a law: non-negative, finite, summing to 1 (exactly, for fractions).

    With `blank_allowed` a row of zeros also passes: it says that nothing is drafted there.

    Raises:
        BadLaw: naming the row, the entry and its value.
    """
    if laws.shape[-1] == 0:
        raise BadLaw(f"{where}: the vocabulary is empty (shape {tuple(laws.shape)}); a law needs at least one token")
    values = laws if is_exact(laws) else laws if isinstance(laws, np.ndarray) else to_float64(laws)
    total = values.sum(-1) if is_exact(laws) else values.sum(-1, dtype=np.float64)
    off = total != 1 if is_exact(laws) else ~(abs(total - 1) <= SUM_TOLERANCE)
    negative = np.asarray(values.min(-1) < 0)
    if blank_allowed:
        off = off & ~to_numpy((laws == 0).all(-1))
    if not bool((off | negative).any()):
        return
    index = tuple(int(i) for i in np.argwhere(off | negative)[0])
    row = laws[index].tolist()
    place = f"{where}, row {index}" if index else where
    for token, value in enumerate(row):
        if not value >= 0:
            raise BadLaw(f"{place}: token {token} has probability {value}; every probability must be a number of at least 0")
    raise BadLaw(f"{place}: the probabilities sum to {sum(row)}, not 1; divide the row by its sum")
