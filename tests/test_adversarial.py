"""Drafters that are made to do harm: the cache is that of plain decoding to the bit, and so is the text."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest

from draftproof.drafters.function import FunctionDrafter
from draftproof.engine import Completion, Engine
from draftproof.models.language import LanguageModel
from draftproof.models.protocol import Block
from draftproof.sampling import SamplingParams
from draftproof.session import Finish

PROMPTS = [" ".join(Random(seed).choices(["one", "two", "there", "hero"], k=1 + seed % 9)) for seed in range(24)]
PARAMS = SamplingParams(temperature=1.3)
TOKENS = 30
END = 258

Propose = Callable[[Sequence[int], list[int]], list[int]]
"""(context, what plain decoding will emit after it) -> what is drafted"""


def wrong(context: Sequence[int], rest: list[int]) -> list[int]:
    return [(token + 1) % 264 for token in rest[:4]]


def right(context: Sequence[int], rest: list[int]) -> list[int]:
    return rest[:6]


def alternating(context: Sequence[int], rest: list[int]) -> list[int]:
    return right(context, rest) if len(context) // 3 % 2 else wrong(context, rest)


def too_long(context: Sequence[int], rest: list[int]) -> list[int]:
    return [*rest, *range(50)][:50]


def ending(context: Sequence[int], rest: list[int]) -> list[int]:
    return [*rest[:2], END, END, 7]


@pytest.fixture(scope="module")
def plain(tiny: LanguageModel) -> list[Completion]:
    done = Engine(tiny, drafter="none").generate(PROMPTS, PARAMS, seed=0, max_tokens=TOKENS)
    assert {each.finish for each in done} == {Finish.END, Finish.LENGTH}
    return done


@pytest.mark.parametrize("rule", ["coupled", "rejection"])
@pytest.mark.parametrize("propose", [wrong, right, alternating, too_long, ending])
def test_the_cache_is_a_fresh_one_to_the_bit(tiny: LanguageModel, plain: list[Completion], propose: Propose, rule: str) -> None:
    known = {tuple(each.prompt): each.tokens for each in plain}

    def drafted(context: Sequence[int]) -> list[int]:
        prompt = next(prompt for prompt in known if prompt == tuple(context[: len(prompt)]))
        emitted = len(context) - len(prompt)
        return propose(context, known[prompt][emitted:] if list(context[len(prompt) :]) == known[prompt][:emitted] else [1, 2, 3])

    engine = Engine(tiny, drafter=FunctionDrafter(drafted, tiny.model.vocab), rule=rule)
    wishes = engine.wishes(PARAMS, max_tokens=TOKENS)
    requests = [engine.start(prompt, seed, wishes) for seed, prompt in enumerate(PROMPTS)]
    for _ in engine.run(requests, batch=7):
        for request in requests:
            assert request.session.cache.length in (0, len(request.session.context) - 1)
    for request in requests:
        fresh = tiny.model.start()
        tiny.model.extend([fresh], [Block(request.session.context[:-1])])
        assert np.array_equal(request.session.cache.contents(), fresh.contents())
    if rule == "coupled":
        assert [request.completion.tokens for request in requests] == [each.tokens for each in plain]
    steps = [step for request in requests for step in request.completion.steps]
    assert sum(step.drafted for step in steps) > 100
    assert any(step.refused for step in steps) or propose is right or propose is too_long
    assert any(step.accepted for step in steps) or propose is wrong
