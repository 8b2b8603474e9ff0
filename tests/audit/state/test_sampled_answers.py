"""What sampled answers say of an engine's randomness, and of the log-probabilities that it tells."""

import numpy as np
import pytest

from draftproof.audit.engines.protocol import Answer
from draftproof.audit.law.rows import Rows
from draftproof.audit.state.sampled_answers import equal_check, log_probs_check, neighbours_check, seeds_check
from draftproof.proof.campaign import Word

VOCAB, LENGTH, ALPHA = 8, 12, 1e-3
LAW = np.random.default_rng(0).dirichlet(np.ones(VOCAB), size=LENGTH)


def drawn(count: int, *, length: int = LENGTH, seed: int = 0) -> list[tuple[int, ...]]:
    random = np.random.default_rng(seed)
    return [tuple(int(random.choice(VOCAB, p=LAW[place])) for place in range(length)) for _ in range(count)]


def judged(texts: list[tuple[int, ...]], *, tell: float | None = None) -> tuple[list[Answer], list[Rows]]:
    """Answers with their laws; they tell their log-probabilities, off by `tell`."""
    rows = [Rows(np.array(text), LAW[: len(text)]) for text in texts]
    told = [None if tell is None else tuple((np.log(each.probabilities) + tell).tolist()) for each in rows]
    return [Answer(number, text, log_probs=each) for number, (text, each) in enumerate(zip(texts, told, strict=True))], rows


def test_independent_answers_pass() -> None:
    answers, rows = judged(drawn(64))
    assert equal_check(answers, rows, alpha=ALPHA).word is Word.PASS
    assert neighbours_check(answers, rows, alpha=ALPHA).word is Word.PASS


def test_one_pair_of_equal_answers_is_enough() -> None:
    texts = drawn(64)
    texts[40] = texts[3]
    answers, rows = judged(texts)
    check = equal_check(answers, rows, alpha=ALPHA)
    assert check.word is Word.FAIL
    assert check.sentence.startswith("requests share their random numbers: 1 of 64")
    assert neighbours_check(answers, rows, alpha=ALPHA).word is Word.PASS


def test_neighbours_that_begin_alike_are_dependent_though_none_are_equal() -> None:
    texts = drawn(64)
    alike = [(*texts[number - number % 2][:3], *text[3:]) for number, text in enumerate(texts)]
    answers, rows = judged(alike)
    assert equal_check(answers, rows, alpha=ALPHA).word is Word.PASS
    check = neighbours_check(answers, rows, alpha=ALPHA)
    assert check.word is Word.FAIL
    assert check.values["common"] > check.values["expected"]


def test_neighbours_that_never_begin_alike_are_dependent_too() -> None:
    texts = [text[:1] for text in drawn(400) if text[0] in (0, 1)]
    law = np.zeros((1, VOCAB))
    law[0, :2] = 0.5
    alternating = [Answer(number, (number % 2,)) for number in range(len(texts))]
    rows = [Rows(np.array(answer.tokens), law) for answer in alternating]
    assert neighbours_check(alternating, rows, alpha=ALPHA).word is Word.FAIL


def test_texts_so_predictable_that_a_pair_proves_nothing_are_inconclusive() -> None:
    check = equal_check(*judged(drawn(64, length=2)), alpha=ALPHA)
    assert check.word is Word.INCONCLUSIVE
    assert "take longer ones" in check.sentence


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_answers_are_skipped(count: int) -> None:
    answers, rows = judged(drawn(count))
    assert equal_check(answers, rows, alpha=ALPHA).word is Word.SKIPPED
    assert neighbours_check(answers, rows, alpha=ALPHA).word is Word.SKIPPED


def test_log_probabilities_must_be_right_where_they_are_told() -> None:
    texts = drawn(5)
    assert log_probs_check(*judged(texts), tolerance=0.01).word is Word.SKIPPED
    assert log_probs_check(*judged(texts, tell=0.001), tolerance=0.01).word is Word.PASS
    wrong = log_probs_check(*judged(texts, tell=0.1), tolerance=0.01)
    assert wrong.word is Word.FAIL
    assert wrong.values["largest_error"] == pytest.approx(0.1)
    assert "answer 0, place" in wrong.details[0]


@pytest.mark.parametrize("told", [float("nan"), -float("inf"), 0.0])
def test_a_buffer_that_was_overwritten_is_no_log_probability(told: float) -> None:
    answers, rows = judged(drawn(1), tell=0.0)
    [answer] = answers
    assert answer.log_probs is not None
    bad = Answer(0, answer.tokens, log_probs=(*answer.log_probs[:-1], told))
    assert log_probs_check([bad], rows, tolerance=0.01).word is Word.FAIL


def test_laws_that_are_told_serve_as_log_probabilities() -> None:
    [text] = drawn(1)
    rows = [Rows(np.array(text), LAW)]
    assert log_probs_check([Answer(0, text, laws=LAW)], rows, tolerance=0.01).word is Word.PASS
    assert log_probs_check([Answer(0, text, laws=LAW**2 / (LAW**2).sum(-1, keepdims=True))], rows, tolerance=0.01).word is Word.FAIL


def test_a_seed_is_held_to_its_promise_and_otherwise_reported() -> None:
    same, other = Answer(0, (1, 2, 3)), Answer(1, (1, 4, 3))
    assert seeds_check(same, {"alone again": same}, promised=True).word is Word.PASS
    broken = seeds_check(same, {"alone again": same, "in a batch": other}, promised=True)
    assert broken.word is Word.FAIL
    assert (
        broken.sentence
        == "asked with one seed alone, the engine gave alone again the same text and in a batch another text from place 1 on"
    )
    free = seeds_check(same, {"alone again": other}, promised=False)
    assert free.word is Word.SKIPPED
    assert "does not promise" in free.sentence
    assert seeds_check(same, {"in a batch": Answer(1, (), lost="dropped")}, promised=True).word is Word.INCONCLUSIVE


def test_a_text_that_ended_sooner_is_another() -> None:
    assert seeds_check(Answer(0, (1, 2, 3)), {"alone again": Answer(1, (1, 2))}, promised=True).word is Word.FAIL
