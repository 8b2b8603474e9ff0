"""What each suspect makes of each token: never, on average under the target's law, more than the target does."""

from collections.abc import Iterator

import numpy as np
import pytest

from draftproof.audit.law.rows import Rows
from draftproof.audit.law.scoring import EFFECTS, SMALLEST_CAP, cap, growth, likelier, scores
from draftproof.audit.law.suspects import LARGEST_RATIO, suspects

BANDS = [0.0, 1e-6, 1e-3, 0.05]


def pairs(count: int = 40, vocab: int = 6) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Laws of a target and a suspect: with zeros on either side, nearly equal, and with rare tokens."""
    random = np.random.default_rng(0)
    for number in range(count):
        target, law = random.gamma(0.3, size=(2, 1, vocab))
        if number % 4 == 1:
            target[0, 0] = law[0, 1] = 0
        if number % 4 == 2:
            law = target * (1 + 1e-9 * random.random((1, vocab)))
        if number % 4 == 3:
            target[0, 0] = 1e-12
        yield target / target.sum(), law / law.sum()


@pytest.mark.parametrize("band", BANDS)
def test_the_mean_under_the_target_is_one(band: float) -> None:
    for target, law in pairs():
        mean = (target * likelier(law, target, band)).sum()
        lost = law[target == 0].sum()
        assert mean == pytest.approx(1.0 if band else 1.0 - lost, abs=1e-3 if (target < 1e-10).any() and not band else 1e-12)
        assert mean <= 1 + 1e-12


def test_what_rounding_left_of_a_sum_is_no_evidence() -> None:
    for target, law in pairs(8):
        rounded = likelier(law * (1 + 1e-7), target * (1 - 1e-7))
        np.testing.assert_allclose(rounded, likelier(law, target), rtol=1e-12)


def test_a_token_that_the_target_forbids_counts_for_the_most_there_is() -> None:
    target, law = np.array([[0.0, 1.0, 0.0]]), np.array([[0.5, 0.5, 0.0]])
    np.testing.assert_array_equal(likelier(law, target), [[LARGEST_RATIO, 0.5, 0.0]])


def test_a_token_that_the_target_nearly_forbids_does_not_overflow() -> None:
    assert likelier(np.array([[0.5, 0.5]]), np.array([[5e-324, 1.0]]))[0, 0] == LARGEST_RATIO


def test_with_a_band_no_token_counts_without_bound() -> None:
    assert cap(0.0) == LARGEST_RATIO
    assert cap(1e-4) == pytest.approx(100)
    assert cap(0.1) == SMALLEST_CAP
    target, law = np.array([[0.0, 0.5, 0.5]]), np.array([[0.9, 0.05, 0.05]])
    assert likelier(law, target, 0.1).max() == pytest.approx(SMALLEST_CAP / 0.1)


def test_scores_are_those_of_the_emitted_tokens_text_after_text() -> None:
    random = np.random.default_rng(1)
    texts = [Rows(random.integers(4, size=size), *random.dirichlet(np.ones(4), size=(2, size))) for size in (3, 1, 5)]
    found = scores(suspects(draft=True), texts)
    for place, suspect in enumerate(suspects(draft=True)):
        ratios = [likelier(suspect.law(rows), rows.target) for rows in texts]
        np.testing.assert_array_equal(
            found[place].ratios,
            np.concatenate([each[np.arange(len(rows.tokens)), rows.tokens] for each, rows in zip(ratios, texts, strict=True)]),
        )
        np.testing.assert_array_equal(found[place].largest, np.concatenate([each.max(-1) for each in ratios]))


def test_growth_is_the_lesser_divergence() -> None:
    """Of two tokens it can be written down: with p = (1/2, 1/2) and a sure of the first, p_e = ((1 + e) / 2, (1 - e) / 2)."""
    found = growth(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))[0]
    for share, value in zip(EFFECTS, found, strict=True):
        more, less = (1 + share) / 2, (1 - share) / 2
        real = more * np.log(2 * more) + (less * np.log(2 * less) if less else 0.0)
        unreal = -(np.log(2 * more) + np.log(2 * less)) / 2 if less else np.inf
        assert value == pytest.approx(min(real, unreal))


def test_what_is_paid_for_the_band_does_not_count() -> None:
    law, target = np.array([[0.6, 0.4]]), np.array([[0.5, 0.5]])
    assert (growth(law, target, 1e-3) < growth(law, target)).all()
    assert not growth(law, target, 0.2).any()


def test_nothing_grows_for_a_suspect_that_is_the_target() -> None:
    law = np.array([[0.2, 0.8]])
    np.testing.assert_allclose(growth(law, law), 0, atol=1e-15)


def test_a_forbidden_token_is_found_at_once_and_its_absence_shows_little() -> None:
    law, target = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    assert growth(law, target)[0, -1] == pytest.approx(-np.log(0.5))
    assert not growth(law, target, 1e-3).any()  # rounding may have emitted it, or not


def test_with_a_band_nothing_is_won_on_a_suspect_that_shares_no_token_with_the_target() -> None:
    target, law = np.array([[0.5, 0.5, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(likelier(law, target, 1e-3), 1)
    assert (likelier(law, target) == [[0, 0, LARGEST_RATIO, 0]]).all()
