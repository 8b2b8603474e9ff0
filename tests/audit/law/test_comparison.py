"""Text against text: the test holds its level, finds what is planted, and says how small a fault it would have found."""

import numpy as np
import pytest

from draftproof.audit.law.comparison import Comparison, compare
from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word

LENGTH, VOCAB, PROMPTS = 8, 6, 3


def answers(random: np.random.Generator, count: int, *, leak: float = 0.0) -> dict[object, list[tuple[int, ...]]]:
    """By prompt, answers of tokens that each follow a law of their place; a share of the answers is uniform instead."""
    laws = np.random.default_rng(0).dirichlet(np.full(VOCAB, 0.5), size=(PROMPTS, LENGTH))

    def one(prompt: int) -> tuple[int, ...]:
        rows = np.full((LENGTH, VOCAB), 1 / VOCAB) if random.random() < leak else laws[prompt]
        return tuple(int(random.choice(VOCAB, p=row)) for row in rows)

    return {prompt: [one(prompt) for _ in range(count)] for prompt in range(PROMPTS)}


def test_equal_engines_are_told_apart_no_more_often_than_by_chance() -> None:
    random = np.random.default_rng(1)
    found = [compare(answers(random, 6), answers(random, 6), length=LENGTH, alpha=0.1, seed=seed).p_value for seed in range(30)]
    assert sum(value <= 0.1 for value in found) <= 10  # 3 expected; more than 10 has probability 2e-4


def test_scrambled_answers_are_found() -> None:
    random = np.random.default_rng(2)
    found = compare(answers(random, 60, leak=0.5), answers(random, 60), length=LENGTH)
    assert found.check(1e-3, 0.5).word is Word.FAIL


def test_a_pass_says_what_would_have_been_seen_and_few_answers_pass_nothing() -> None:
    random = np.random.default_rng(3)
    many, few = (compare(answers(random, count), answers(random, count), length=LENGTH) for count in (80, 2))
    assert many.check(1e-3, 0.5).word is Word.PASS
    assert "a share of 0." in many.check(1e-3, 0.5).sentence
    assert few.detectable is None
    assert few.check(1e-3, 0.5).word is Word.INCONCLUSIVE


def test_a_difference_in_length_is_a_difference() -> None:
    random = np.random.default_rng(4)
    whole = answers(random, 40)
    cut = {prompt: [text[:3] for text in texts] for prompt, texts in answers(random, 40).items()}
    assert compare(cut, whole, length=LENGTH).check(1e-3, 0.5).word is Word.FAIL


def test_characters_are_compared_as_tokens_are() -> None:
    found = compare({"a": ["abc"] * 20}, {"a": ["abd"] * 20}, length=3)
    assert found.p_value < 1e-3


def test_prompts_that_only_one_side_answered_are_no_comparison() -> None:
    with pytest.raises(BadRequest, match="ask the same prompts of both"):
        compare({"a": ["x"]}, {"b": ["y"]}, length=1)


def test_a_p_value_decides_before_the_power_does() -> None:
    assert Comparison(1e-4, (9, 9), None).check(1e-3, 0.5).word is Word.FAIL
