"""What a torch model does with its cache and its mask, measured on a few tokens.

Configurations do not say it all: a model may ignore the positions or the mask that it is given, or write its cache in
a way of its own, and still answer.
"""

import numpy as np

from draftproof.errors import Unsupported
from draftproof.models.hf_cache import filled
from draftproof.models.hf_pass import Pass
from draftproof.models.protocol import Block
from draftproof.shapes import Shaped

# How far rows that should be equal may differ, as a part of the range of a row. Over thirty families, right rows were off
# by at most 2e-6 in float32 and 4e-2 in bfloat16; wrong ones by 1e-3 at least on weights drawn at random, and by 0.3 on
# those of a trained model.
ROUNDING = 1e-4
ROUNDING_16_BIT = 1e-1


def check_rollback(passes: Pass, vocab: int) -> None:
    """Return if a row depends on the tokens before it alone, and on none that was truncated.

    Raises:
        Unsupported: naming the model and what it did.
    """
    name = type(passes.torch_model).__name__
    a, b, c, wrong = _tokens(vocab)
    cache = passes.start()
    try:
        alone = passes.run([passes.start()], [Block([a])])[0]
        ahead = passes.run([cache], [Block([a], [b, wrong, wrong], range(3))])[0]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise Unsupported(f"{name} does not run on a cache and an attention mask: {error}") from error
    if alone.shape != (1, vocab):
        raise Unsupported(f"{name} gives rows of {alone.shape[-1]} logits, and its configuration names a vocabulary of {vocab}")
    held = {int(layer.keys.shape[-2]) for layer in filled(cache.entries)}
    if held != {4}:
        raise Unsupported(
            f"{name} keeps {sorted(held) or 'nothing'} in its cache of a text of 4 tokens; a rollback needs one entry a token"
        )
    if not _same(passes, ahead[:1], alone):
        raise Unsupported(f"the rows of {name} depend on the tokens after them, or on chance; a causal model is needed")
    cache.truncate(2)
    if not _same(passes, passes.run([cache], [Block([c])])[0], passes.run([passes.start()], [Block([a, b, c])])[0]):
        raise Unsupported(f"{name} remembers tokens that its cache has dropped, so a refused draft cannot be taken back")


def obeys_masks(passes: Pass, vocab: int) -> bool:
    """True if siblings and padding leave no trace in a row or in what is kept."""
    config = passes.torch_model.config
    if passes.windows is None or not passes.takes("position_ids") or config._attn_implementation not in ("sdpa", "eager"):
        return False
    a, b, c, wrong = _tokens(vocab)
    caches = [passes.start(), passes.start()]
    try:
        first = passes.run(caches, [Block([a, b], [wrong, c], [0, 0]), Block([a])])
        caches[0].keep(1, [0, 2])
        second = passes.run(caches, [Block([wrong]), Block([b])])
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
        return False
    pairs = (first[0][2:], [a, b, c]), (second[0], [a, b, c, wrong]), (second[1], [a, b])
    return all(_same(passes, row, passes.run([passes.start()], [Block(text)])[0]) for row, text in pairs)


def _tokens(vocab: int) -> list[int]:
    return [place * vocab // 5 for place in range(1, 5)]


def _same(passes: Pass, row: Shaped[np.ndarray, "one vocab"], expected: Shaped[np.ndarray, "one vocab"]) -> bool:
    tolerance = ROUNDING if passes.torch_model.dtype.itemsize > 2 else ROUNDING_16_BIT
    return bool(abs(row - expected).max() <= tolerance * np.ptp(expected))
