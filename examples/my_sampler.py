"""A small project's own speculative sampler, in torch. It knows nothing of draftproof."""

import torch


def verify(target_probs, draft_probs, draft_tokens):
    """How many drafted tokens are kept, and the token after them.

    target_probs (K+1, vocab) and draft_probs (K, vocab) are rows of probabilities, draft_tokens (K,) was drawn from the latter.
    """
    coins = torch.rand(len(draft_tokens))
    for place, token in enumerate(draft_tokens.tolist()):
        if coins[place] >= target_probs[place, token] / draft_probs[place, token]:
            residual = (target_probs[place] - draft_probs[place]).clamp(min=0)
            return place, torch.multinomial(residual / residual.sum(), 1).item()
    return len(draft_tokens), torch.multinomial(target_probs[-1], 1).item()


def verify_in_a_hurry(target_probs, draft_probs, draft_tokens):
    """The same, but after a refusal the token is drawn from the whole target."""
    coins = torch.rand(len(draft_tokens))
    for place, token in enumerate(draft_tokens.tolist()):
        if coins[place] >= target_probs[place, token] / draft_probs[place, token]:
            return place, torch.multinomial(target_probs[place], 1).item()
    return len(draft_tokens), torch.multinomial(target_probs[-1], 1).item()


def generate(target, draft, prompt, length, width=2):
    """A whole decode loop: `length` tokens after the prompt, drafting `width` a round."""
    tokens = list(prompt)
    while len(tokens) < len(prompt) + length:
        drafted, rows = [], []
        for _ in range(width):
            rows.append(draft(tokens + drafted)[-1])
            drafted.append(torch.multinomial(rows[-1], 1).item())
        target_rows = target(tokens + drafted)[len(tokens) - 1 :]
        accepted, token = verify(target_rows, torch.stack(rows), torch.tensor(drafted))
        tokens += [*drafted[:accepted], token]
    return tokens[len(prompt) :][:length]
