"""The cache after adversarial drafts against a fresh one, to the bit: `python benchmarks/decoding/state.py [prompts] [tokens]`."""

import sys

import numpy as np
from prompts import random_prompts

from drafters import adversaries
from draftproof.drafters.function import FunctionDrafter
from draftproof.engine import Engine, Wishes
from draftproof.models.protocol import Block
from draftproof.models.weights import load
from draftproof.sampling import SamplingParams


def main(count: int = 100, tokens: int = 24) -> None:
    target = load("smollm2")
    model, prompts = target.model, random_prompts(count, seed=1)
    wishes = Wishes(SamplingParams(temperature=0.8), max_tokens=tokens, ignore_end=True)
    plain = Engine(target, drafter="none").generate(prompts, wishes.params, seed=0, max_tokens=tokens, ignore_end=True)
    known = [[*done.prompt, *done.tokens] for done in plain]
    for name, propose in adversaries(model.vocab, known, min(target.tokenizer.end_tokens)).items():
        engine = Engine(target, drafter=FunctionDrafter(propose, model.vocab))
        requests = [engine.start(prompt, seed, wishes) for seed, prompt in enumerate(prompts)]
        for _ in engine.run(requests, batch=8):
            pass
        equal = same_text = 0
        for request, done in zip(requests, plain, strict=True):
            session, fresh = request.session, model.start()
            model.extend([fresh], [Block(session.context[:-1])])
            equal += np.array_equal(session.cache.contents(), fresh.contents())
            same_text += request.completion.tokens == done.tokens
        steps = [step for request in requests for step in request.completion.steps]
        drafted, accepted = sum(step.drafted for step in steps), sum(step.accepted for step in steps)
        print(f"{name}: {equal} of {count} caches equal to the bit, {same_text} texts, {drafted} drafted, {accepted} accepted", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
