"""Whole blocks of speculative decoding, with models that read the last token, against the target one token at a time."""

import random
from fractions import Fraction

import numpy as np
import pytest
import torch

from draftproof.proof.foreign import explore_program
from draftproof.proof.laws import compare

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

# Rows after each last token. Every p / q and every residual is a multiple of a power of 2: floats are exact.
TARGET = ((0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5))
DRAFT = ((0.25, 0.25, 0.5), (0.5, 0.25, 0.25), (0.25, 0.5, 0.25))


def chain_law(length):
    """The law of a text by the target alone, from a context that ends in token 0."""
    law = {(): Fraction(1)}
    for _ in range(length):
        law = {
            (*text, token): chance * Fraction(TARGET[text[-1] if text else 0][token]) for text, chance in law.items() for token in range(3)
        }
    return law


def decode_in_numpy(length, width, bonus_row=0):
    """Rounds of `width` drafted tokens with one vector of uniforms, until the text is long enough; then it is cut."""
    rng, text = np.random.default_rng(), []
    while len(text) < length:
        context, drafted = [0, *text], []
        for _ in range(width):
            drafted.append(int(rng.choice(3, p=DRAFT[[*context, *drafted][-1]])))
        before = [context[-1], *drafted]
        p, q = np.array([TARGET[token] for token in before]), np.array([DRAFT[token] for token in before[:-1]])
        ratios = p[np.arange(width), drafted] / q[np.arange(width), drafted]
        accepted = rng.random(width) < ratios
        kept = width if accepted.all() else int(np.argmin(accepted))
        row = np.maximum(p[kept] - q[kept], 0) if kept < width else p[kept - bonus_row]
        text += [*drafted[:kept], int(rng.choice(3, p=row / row.sum()))]
    return text[:length]


def decode_in_torch(length, width, bonus_row=0):
    """The same with rows of a batch, races for every token, and acceptance by a cumulative product."""
    target, draft, text = torch.tensor(TARGET), torch.tensor(DRAFT), torch.zeros(1, 1, dtype=torch.int64)
    while text.shape[1] - 1 < length:
        drafted = text
        for _ in range(width):
            row = draft[drafted[:, -1]]
            drafted = torch.cat([drafted, (row / torch.empty_like(row).exponential_()).argmax(-1, keepdim=True)], dim=1)
        before, tokens = drafted[:, text.shape[1] - 1 :], drafted[:, text.shape[1] :]
        p, q = target[before], draft[before[:, :-1]]
        chosen = [rows.gather(-1, tokens[..., None])[..., 0] for rows in (p[:, :-1], q)]
        uniform = torch.rand(1, width)
        kept = int((uniform * chosen[1] < chosen[0]).int().cumprod(-1).sum())
        row = torch.clamp(p[:, kept] - q[:, kept], min=0) if kept < width else p[:, kept - bonus_row]
        last = torch.multinomial(row, 1)
        text = torch.cat([text, tokens[:, :kept], last], dim=1)
    return text[0, 1 : length + 1]


def decode_in_random(length, width, bonus_row=0):
    """The same one number at a time, on fractions."""
    text = []
    while len(text) < length:
        context, drafted = [0, *text], []
        for _ in range(width):
            drafted += random.choices(range(3), DRAFT[[*context, *drafted][-1]])
        for place, token in enumerate(drafted):
            last = [*context, *drafted][len(context) + place - 1]
            p, q = TARGET[last], DRAFT[last]
            if random.random() * q[token] >= p[token]:
                text += random.choices(range(3), [max(a - b, 0) for a, b in zip(p, q, strict=True)])
                break
            text.append(token)
        else:
            text += random.choices(range(3), TARGET[[0, *text][-1 - bonus_row]])
    return text[:length]


CASES = [(decode_in_random, 3, 2), (decode_in_numpy, 3, 1), (decode_in_torch, 3, 1)]
in_every_library = pytest.mark.parametrize(("decode", "length", "width"), CASES, ids=["random", "numpy", "torch"])


@in_every_library
def test_a_decode_of_several_rounds_is_exact(decode, length, width):
    found = explore_program(lambda: decode(length, width))
    assert found.complete
    assert found.progress.paths > 3**length
    assert compare(found.law, chain_law(length)).total_variation == 0


@in_every_library
def test_a_bonus_token_from_the_row_before_is_found_and_all_libraries_agree_on_its_distance(decode, length, width):
    gap = compare(explore_program(lambda: decode(length, width, bonus_row=1)).law, chain_law(length))
    known = compare(explore_program(lambda: decode_in_random(length, width, bonus_row=1)).law, chain_law(length))
    assert gap == known
    assert gap.total_variation > Fraction(1, 32)
