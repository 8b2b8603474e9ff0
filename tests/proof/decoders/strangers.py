"""Verifiers and decode loops as other projects write them: one right and one wrong of every signature."""

import random
from itertools import accumulate

import numpy as np
import torch


def in_lists(fallback):
    """Plain Python; a fallback makes the law after a refusal of two rows."""

    def verify(target_probs, draft_probs, draft_tokens):
        for place, token in enumerate(draft_tokens):
            p, q = target_probs[place], draft_probs[place]
            if not random.random() < p[token] / q[token]:
                return [*draft_tokens[:place], *random.choices(range(len(p)), fallback(p, q))]
        return [*draft_tokens, *random.choices(range(len(target_probs[-1])), target_probs[-1])]

    return verify


def residual(p, q):
    return [max(a - b, 0) for a, b in zip(p, q, strict=True)]


def whole_target(p, q):
    return p


right_lists = in_lists(residual)
wrong_lists = in_lists(whole_target)


def numpy_pairs(residual_of):
    """numpy, returning how many are accepted, and the token after them."""

    def verify(target_probs, draft_probs, draft_tokens):
        rng = np.random.default_rng()
        for place, token in enumerate(draft_tokens):
            if rng.random() >= target_probs[place, token] / draft_probs[place, token]:
                rest = residual_of(target_probs[place], draft_probs[place])
                return place, rng.choice(len(rest), p=rest / rest.sum())
        return len(draft_tokens), rng.choice(target_probs.shape[1], p=target_probs[-1])

    return verify


right_numpy = numpy_pairs(lambda p, q: np.maximum(p - q, 0))
wrong_numpy = numpy_pairs(lambda p, q: np.abs(p - q))


def torch_logits(rows_of):
    """torch, from logits, the whole block at once."""

    def verify(target_logits, draft_logits, draft_tokens):
        p, q = target_logits.softmax(-1), draft_logits.softmax(-1)
        width = len(draft_tokens)
        places = torch.arange(width)
        accepted = torch.rand(width) < p[places, draft_tokens] / q[places, draft_tokens]
        kept = int((~accepted).cumsum(0).eq(0).sum())
        law = (p[kept] - q[kept]).clamp(min=0) if kept < width else p[rows_of(width)]
        return torch.cat([draft_tokens[:kept], torch.multinomial(law, 1)])

    return verify


right_torch = torch_logits(lambda width: width)
wrong_torch = torch_logits(lambda width: width - 1)  # the bonus token is drawn from the row before


def right_row(p, q, x):
    return x if random.random() * q[x] < p[x] else pick(residual(p, q))


def wrong_row(p, q, x):
    return x if random.random() * p[x] < q[x] else pick(residual(p, q))


def pick(weights):
    """A token in proportion to its weight, without a float on the way: `random.choices` would make one."""
    number = random.random() * sum(weights)
    return next(token for token, edge in enumerate(accumulate(weights)) if number < edge)


def batched(coins):
    """A batch at once, padded with -1; tokens are drawn by races. `coins(batch, width)` decide what is accepted."""

    def sample(target_probs, bonus_token_ids, draft_probs, draft_token_ids):
        batch, width, _ = target_probs.shape
        p, q = (probs.gather(2, draft_token_ids[..., None])[..., 0] for probs in (target_probs, draft_probs))
        accepted = (coins(batch, width) < p / q).long().cumprod(1).bool()
        rest = (target_probs - draft_probs).clamp(min=0)
        recovered = (rest / torch.empty_like(rest).exponential_()).argmax(-1)
        out = torch.full((batch, width + 1), -1)
        for row in range(batch):
            kept = int(accepted[row].sum())
            out[row, :kept] = draft_token_ids[row, :kept]
            out[row, kept] = recovered[row, kept] if kept < width else bonus_token_ids[row, 0]
        return out

    return sample


right_batch = batched(torch.rand)
wrong_batch = batched(lambda batch, width: torch.rand(1, width).expand(batch, width))  # one coin for all requests


def loop(width, *, fallback=residual, drafts=True):
    """A whole decode loop in plain Python."""

    def decode(target, draft, prompt, length):
        text = list(prompt)
        while len(text) < len(prompt) + length:
            tokens, laws = [], []
            for _ in range(width if drafts else 0):
                laws.append(draft(text + tokens)[-1])
                tokens += random.choices(range(len(laws[-1])), laws[-1])
            rows = target(text + tokens)[len(text) - 1 :]
            text += in_lists(fallback)(rows, laws, tokens)
        return text[len(prompt) : len(prompt) + length]

    return decode


def loop_with_ends(checks_every_token):
    """The same, up to an end of text."""

    def decode(target, draft, prompt, length, ends):
        text = list(prompt)
        while len(text) < len(prompt) + length:
            law = draft(text)[-1]
            tokens = random.choices(range(len(law)), law)
            emitted = right_lists(target(text + tokens)[len(text) - 1 :], [law], tokens)
            for place, token in enumerate(emitted):
                if token in ends and (checks_every_token or place == len(emitted) - 1):
                    return (text + emitted[: place + 1])[len(prompt) :][:length]
            text += emitted
        return text[len(prompt) : len(prompt) + length]

    return decode
