"""DRY against a search that follows the definition word for word."""

import numpy as np
import pytest

from draftproof.sampling.dry import Dry


def penalties_by_definition(text: list[int], rule: Dry, vocab: int) -> list[float]:
    seen = text if rule.last is None else text[-rule.last :]
    cut = max(
        (end for end in range(len(seen) + 1) for breaker in rule.breakers if tuple(seen[:end][-len(breaker) :]) == breaker), default=0
    )
    single = {breaker[0] for breaker in rule.breakers if len(breaker) == 1}
    penalties = [0.0] * vocab
    for token in set(range(vocab)) - single:
        lengths = [
            length
            for length in range(rule.allowed_length, len(seen) - cut + 1)
            for place in range(length, len(seen))
            if seen[place] == token and seen[place - length : place] == seen[len(seen) - length :]
        ]
        if lengths and len(seen) > rule.allowed_length:
            penalties[token] = rule.multiplier * rule.base ** (max(lengths) - rule.allowed_length)
    return penalties


@pytest.mark.parametrize("breakers", [(), ((0,),), ((0,), (1, 0)), ((2, 2),)])
@pytest.mark.parametrize("last", [None, 12])
@pytest.mark.parametrize("allowed", [1, 2, 3])
def test_the_longest_repetition_sets_the_penalty(breakers: tuple, last: int | None, allowed: int) -> None:
    rng = np.random.default_rng(allowed)
    rule = Dry(0.8, 1.75, allowed, breakers, last)
    penalised = 0
    for _ in range(120):
        text = rng.choice(3, p=[0.1, 0.45, 0.45], size=rng.integers(0, 25)).tolist()
        row = -rule.apply(np.zeros((1, 4)), [rule.memory.start(text)])[0]
        expected = penalties_by_definition(text, rule, 4)
        assert row == pytest.approx(expected)
        penalised += any(expected)
    assert penalised > 3


def test_the_exponent_stops_where_a_float32_would_end() -> None:
    rule = Dry(1.0, 2.0, 2, (), None)
    row = rule.apply(np.zeros((1, 2), np.float32), [rule.memory.start([1] * 400)])[0]
    assert row.tolist() == [0, -(2.0**127)]


def test_a_base_of_1_gives_every_repetition_the_same_penalty() -> None:
    rule = Dry(0.5, 1.0, 2, (), None)
    assert rule.apply(np.zeros((1, 2)), [rule.memory.start([1] * 30)])[0].tolist() == [0, -0.5]
