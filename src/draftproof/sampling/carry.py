"""Between the caller's arrays and numpy.

Sampling laws are computed by one piece of code, in numpy, so that every kind of array gets the same law to the bit. A
tensor in main memory is read in place; one elsewhere is copied once each way, as drawing from it would need anyway.
Torch is never imported: a tensor brings it.
"""

import sys

import numpy as np

from draftproof.shapes import Array, Shaped


def to_numpy(rows: Array) -> Shaped[np.ndarray, "*shape"]:
    """The rows as numpy floats: float16 and bfloat16 widened to float32, numbers of other kinds to float64."""
    if isinstance(rows, np.ndarray):
        return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float32 if rows.dtype == np.float16 else np.float64)
    tensor = rows.detach().cpu()
    half = tensor.is_floating_point() and tensor.element_size() < 4
    return to_numpy((tensor.float() if half else tensor).numpy())


def carried(laws: Shaped[np.ndarray, "*shape"], like: Array) -> Shaped[Array, "*shape"]:
    """The laws as the kind of array that `like` is, where `like` is."""
    if isinstance(like, np.ndarray):
        return laws
    return sys.modules["torch"].from_numpy(laws).to(like.device)
