"""The one door for randomness: numbers depend on their address alone, and no number is used twice."""

from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.stats import chi2_contingency, chisquare, kstest

from draftproof.draws import Address, Draws, Purpose, SeededDraws, invert
from draftproof.errors import AddressReused, BadLaw, BadRequest

LARGEST = 1 - 2.0**-53
"""The largest uniform that a draw can give."""

LEVEL = 1e-3
"""The share of seeds with which a right program would fail a statistical test. The seeds here are fixed, so none fails now and then."""

HALF = Fraction(1, 2)


def uniforms(addresses, seed=0):
    draws = SeededDraws(seed)
    return np.array([draws.uniform(at) for at in addresses])


def refusal(error, call):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


class TestInvert:
    """The first index whose cumulative weight exceeds the uniform: acceptance is strict, u < a."""

    @pytest.mark.parametrize(("uniform", "index"), [(0.0, 0), (0.25 - 2**-54, 0), (0.25, 1), (0.75 - 2**-53, 1), (0.75, 2), (LARGEST, 2)])
    def test_takes_each_index_over_its_own_half_open_interval(self, carrier, uniform, index):
        assert invert(carrier.array([Fraction(1, 4), HALF, Fraction(1, 4)]), uniform) == index

    def test_needs_no_normalised_weights(self, carrier):
        assert [invert(carrier.array([1, 2, 1]), u) for u in (0.0, 0.25, 0.75)] == [0, 1, 2]

    @pytest.mark.parametrize("uniform", [0.0, HALF, LARGEST])
    def test_never_takes_an_index_of_weight_0(self, carrier, uniform):
        for pattern in product((0, 1), repeat=4):
            if any(pattern):
                assert pattern[invert(carrier.array(pattern), float(uniform))] == 1

    def test_takes_no_weight_0_after_rounding_lifts_the_uniform_to_the_total(self):
        weights = np.array([2.0**-1074, 0.0])
        assert LARGEST * weights.sum() == weights.sum(), "else this row does not round up"
        assert invert(weights, LARGEST) == 0

    def test_takes_no_weight_that_the_sum_did_not_notice(self):
        weights = np.array([0.5, 0.5, 2.0**-60, 0.0])
        assert invert(weights, LARGEST) == 1

    @pytest.mark.parametrize(
        ("weights", "total"),
        [([0.0, 0.0], "0.0"), ([float("nan"), 1.0], "nan"), ([1.0, float("inf")], "inf"), ([0.5, -1.0], "-0.5")],
    )
    def test_refuses_weights_without_a_positive_finite_sum(self, weights, total):
        for array in (np.array, torch.tensor):
            assert refusal(BadLaw, lambda array=array: invert(array(weights), 0.5)) == f"cannot draw from weights that sum to {total}"


class TestUniform:
    EVERY_ADDRESS = [Address(start, node, purpose) for start in range(40) for node in range(20) for purpose in Purpose]

    def test_is_a_multiple_of_two_to_the_minus_53_in_0_to_1(self):
        numbers = uniforms(self.EVERY_ADDRESS)
        assert (numbers * 2**53 % 1 == 0).all()
        assert numbers.min() >= 0
        assert numbers.max() < 1
        assert (numbers * 2**52 % 1 != 0).any(), "the last bit is used"

    @pytest.mark.parametrize(("raw", "number"), [(0, 0.0), (2**11 - 1, 0.0), (2**11, 2.0**-53), (2**64 - 1, LARGEST)])
    def test_reaches_both_ends_and_not_1(self, monkeypatch, raw, number):
        monkeypatch.setattr(SeededDraws, "_philox", lambda self, **_: SimpleNamespace(random_raw=lambda: raw))
        assert SeededDraws(0).uniform(Address(0, 0, Purpose.KEPT)) == number

    def test_is_uniform(self):
        assert kstest(uniforms(self.EVERY_ADDRESS), "uniform").pvalue > LEVEL

    def test_is_another_number_at_every_address_and_seed(self):
        numbers = np.concatenate([uniforms(self.EVERY_ADDRESS, seed) for seed in (0, 1, 2**64 - 1)])
        assert len(set(numbers)) == 3 * len(self.EVERY_ADDRESS)

    @pytest.mark.parametrize(
        "neighbour",
        [
            lambda at: at._replace(round_start=at.round_start + 1),
            lambda at: at._replace(offset=at.offset + 1),
            lambda at: at._replace(purpose=Purpose((at.purpose + 1) % 3)),
        ],
        ids=["next round", "next node", "next purpose"],
    )
    def test_is_independent_of_the_number_next_door(self, neighbour):
        here, there = uniforms(self.EVERY_ADDRESS), uniforms([neighbour(at) for at in self.EVERY_ADDRESS])
        counts = np.histogram2d(here, there, bins=6, range=[(0, 1), (0, 1)])[0]
        assert chi2_contingency(counts).pvalue > LEVEL

    def test_is_the_same_number_whatever_was_drawn_before(self):
        at = Address(7, 2, Purpose.DRAFT)
        busy = SeededDraws(5)
        busy.pick(np.ones(3), Address(3, 0, Purpose.KEPT))
        busy.race(np.ones(3), 7)
        assert busy.uniform(at) == SeededDraws(5).uniform(at)

    def test_is_the_same_in_every_release(self):
        assert uniforms([Address(0, 0, Purpose.DRAFT), Address(12, 3, Purpose.TOKEN)], seed=42).tolist() == [
            0.8201981478608876,
            0.13262555155109967,
        ]


class TestPick:
    def test_inverts_the_weights_at_the_uniform_of_the_address(self, carrier):
        at = Address(4, 1, Purpose.DRAFT)
        weights = carrier.array([1, 0, 2, 3])
        for seed in range(50):
            assert SeededDraws(seed).pick(weights, at) == invert(weights, SeededDraws(seed).uniform(at))

    def test_follows_the_weights(self):
        weights = np.array([0.1, 0.2, 0.0, 0.7])
        picks = [SeededDraws(seed).pick(weights, Address(9, 1, Purpose.DRAFT)) for seed in range(4000)]
        counts = np.bincount(picks, minlength=4)
        assert counts[2] == 0
        assert chisquare(counts[weights > 0], 4000 * weights[weights > 0]).pvalue > LEVEL
        assert chisquare(counts[weights > 0], 4000 * np.array([0.13, 0.17, 0.7])).pvalue < LEVEL, "a shift by 0.03 would be seen"

    def test_refuses_an_address_that_was_used(self):
        draws, at = SeededDraws(0), Address(3, 1, Purpose.DRAFT)
        draws.pick(np.ones(2), at)
        assert refusal(AddressReused, lambda: draws.pick(np.ones(2), at)) == (
            f"{at} was already drawn from; a second draw on one number is not independent of the first"
        )

    def test_refuses_an_address_of_a_round_that_was_left(self):
        draws = SeededDraws(0)
        draws.pick(np.ones(2), Address(4, 1, Purpose.DRAFT))
        assert "round_start=3" in refusal(AddressReused, lambda: draws.pick(np.ones(2), Address(3, 2, Purpose.DRAFT)))

    def test_still_refuses_a_used_address_after_other_draws_of_the_round(self):
        draws = SeededDraws(0)
        for at in (Address(4, 1, Purpose.DRAFT), Address(4, 2, Purpose.DRAFT), Address(4, 1, Purpose.KEPT)):
            draws.pick(np.ones(2), at)
        for at in (Address(4, 1, Purpose.DRAFT), Address(4, 2, Purpose.DRAFT), Address(4, 1, Purpose.KEPT)):
            assert refusal(AddressReused, lambda at=at: draws.pick(np.ones(2), at))

    def test_takes_the_same_node_and_purpose_in_the_next_round(self):
        draws = SeededDraws(0)
        for start in range(5):
            draws.pick(np.ones(2), Address(start, 0, Purpose.KEPT))

    def test_forgets_the_addresses_of_rounds_left_so_a_long_text_costs_no_memory(self):
        draws = SeededDraws(0)
        for start, node in product(range(20), range(4)):
            draws.pick(np.ones(2), Address(start, node, Purpose.DRAFT))
        assert len(draws._used) == 4

    def test_two_requests_share_nothing(self):
        at = Address(3, 1, Purpose.DRAFT)
        assert SeededDraws(1).pick(np.ones(2), at) == SeededDraws(1).pick(np.ones(2), at)


def test_a_race_with_one_runner_is_won_by_it_at_any_position():
    for position in range(20):
        assert SeededDraws(3).race(np.array([0.0, 0.0, 0.2, 0.0]), position) == 2


class TestNoise:
    def test_of_a_longer_row_begins_with_that_of_a_shorter_one(self):
        long = SeededDraws(3).noise(11, 1000)
        for vocab in (1, 2, 3, 4, 5, 17, 999):
            assert SeededDraws(3).noise(11, vocab).tolist() == long[:vocab].tolist()

    def test_is_exponential(self):
        assert kstest(SeededDraws(0).noise(0, 20_000), "expon").pvalue > LEVEL

    def test_is_another_at_every_position_and_seed(self):
        rows = [SeededDraws(seed).noise(position, 50) for seed in range(3) for position in range(20)]
        assert len(set(np.concatenate(rows))) == 3 * 20 * 50

    def test_is_not_the_noise_of_the_picks(self):
        draws = SeededDraws(0)
        raced = np.exp(-draws.noise(5, 4))
        picked = uniforms(Address(5, 0, purpose) for purpose in Purpose)
        assert abs(raced[:, None] - picked[None, :]).min() > 2**-40

    @pytest.mark.parametrize("raw", [0, 2**64 - 1])
    def test_is_positive_and_finite_at_both_ends(self, monkeypatch, raw):
        words = SimpleNamespace(random_raw=lambda size: np.full(size, raw, np.uint64))
        monkeypatch.setattr(SeededDraws, "_philox", lambda self, **_: words)
        noise = SeededDraws(0).noise(0, 3)
        assert ((noise > 0) & np.isfinite(noise)).all()

    def test_is_the_same_in_every_release(self):
        assert SeededDraws(42).noise(12, 2) == pytest.approx([0.7130661890213424, 1.243033946402291], rel=1e-14)


class TestRace:
    def test_is_won_by_the_smallest_noise_over_weight(self, carrier):
        weights = [HALF, 0, Fraction(1, 8), Fraction(3, 8)]
        for position in range(50):
            noise = SeededDraws(1).noise(position, 4)
            times = [noise[token] / float(weight) if weight else np.inf for token, weight in enumerate(weights)]
            assert SeededDraws(1).race(carrier.array(weights), position) == int(np.argmin(times))

    @pytest.mark.parametrize("vocab", [2, 3, 40, 5000])
    def test_leaves_out_only_logarithms_that_could_not_win(self, vocab):
        random, draws = np.random.default_rng(vocab), SeededDraws(7)
        for position in range(400):
            row = random.dirichlet(np.full(vocab, random.choice([0.01, 0.3, 1, 50])))
            row[random.random(vocab) < random.choice([0.0, 0.5])] = 0.0
            row[random.integers(vocab)] += random.choice([1e-300, 1e-3, 1.0])
            assert draws.race(row, position) == (row / draws.noise(position, vocab)).argmax()

    @pytest.mark.parametrize("raw", [0, 2**63, 2**64 - 1])
    def test_goes_to_the_lowest_id_of_equals_at_both_ends_of_the_noise(self, monkeypatch, raw):
        monkeypatch.setattr(
            SeededDraws, "_philox", lambda self, **_: SimpleNamespace(random_raw=lambda size: np.full(size, raw, np.uint64))
        )
        assert SeededDraws(0).race(np.array([0.1, 0.3, 0.3, 0.3]), 5) == 1

    def test_follows_the_weights(self):
        weights = np.array([0.1, 0.2, 0.0, 0.7])
        winners = [SeededDraws(seed).race(weights, 6) for seed in range(4000)]
        counts = np.bincount(winners, minlength=4)
        assert counts[2] == 0
        assert chisquare(counts[weights > 0], 4000 * weights[weights > 0]).pvalue > LEVEL
        assert chisquare(counts[weights > 0], 4000 * np.array([0.13, 0.17, 0.7])).pvalue < LEVEL, "a shift by 0.03 would be seen"

    def test_is_independent_from_position_to_position(self):
        draws, weights = SeededDraws(2), np.array([0.2, 0.3, 0.5])
        winners = [draws.race(weights, position) for position in range(4001)]
        counts = np.histogram2d(winners[:-1], winners[1:], bins=3)[0]
        assert chi2_contingency(counts).pvalue > LEVEL

    def test_may_be_run_again_and_ends_the_same(self):
        draws = SeededDraws(0)
        assert len({draws.race(np.array([0.5, 0.5]), 3) for _ in range(5)}) == 1

    def test_of_two_laws_is_won_by_one_token_as_often_as_shared_noise_lets_it(self):
        """sum_j 1 / sum_i max(q_i / q_j, p_i / p_j), Daliri et al. 2024: far above the sum of p q, which independent draws give."""
        p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
        agree = sum(1 / sum(max(q[i] / q[j], p[i] / p[j]) for i in range(3)) for j in range(3))
        draws = SeededDraws(4)
        same = sum(draws.race(p, position) == draws.race(q, position) for position in range(4000))
        assert chisquare([same, 4000 - same], [4000 * agree, 4000 * (1 - agree)]).pvalue > LEVEL
        assert agree > 2 * (p * q).sum()

    def test_needs_no_normalised_weights(self):
        weights = np.array([0.5, 0.125, 0.375])
        for position in range(50):
            assert SeededDraws(0).race(weights, position) == SeededDraws(0).race(8 * weights, position)

    @pytest.mark.parametrize(
        ("weights", "largest"), [([0.0, 0.0], "0.0"), ([float("nan"), 1.0], "nan"), ([-1.0, -2.0], "0.0"), ([], "0.0")]
    )
    def test_refuses_a_row_in_which_no_token_can_win(self, weights, largest):
        for array in (np.array, torch.tensor):
            assert refusal(BadLaw, lambda array=array: SeededDraws(0).race(array(weights), 9)) == (
                f"position 9: no token has a positive weight (largest {largest}), so none can win the race"
            )


class TestSeeds:
    @pytest.mark.parametrize("seed", [0, 2**64 - 1])
    def test_at_both_ends_are_taken(self, seed):
        assert SeededDraws(seed).pick(np.ones(1), Address(0, 0, Purpose.KEPT)) == 0

    @pytest.mark.parametrize("seed", [-1, 2**64])
    def test_beyond_are_refused(self, seed):
        assert refusal(BadRequest, lambda: SeededDraws(seed)) == f"seed {seed} is not a whole number in [0, 2**64)"


def test_seeded_draws_are_draws():
    assert isinstance(SeededDraws(0), Draws)
