"""What is known of a number: intervals for picks, regions of directions for races; both exact."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from draftproof.draws import Address, Purpose
from draftproof.errors import AddressReused, BadLaw
from draftproof.proof.explore import Path, explore
from draftproof.proof.fixtures import ROWS
from draftproof.proof.noise import ExploredDraws, Knowledge, run_race, whole
from draftproof.rules.bounds import coupled_overlap

HERE = Address(3, 0, Purpose.TOKEN)
THERE = Address(3, 1, Purpose.DRAFT)


def exact(*weights):
    return np.array([Fraction(weight) for weight in weights], dtype=object)


def law_of(program):
    """The law of what a program of draws returns."""
    law = {}
    for outcome, probability in explore(lambda path: program(ExploredDraws(path, Knowledge()))):
        law[outcome] = law.get(outcome, 0) + probability
    return law


def share(region):
    return sum((simplex.share for simplex in region), Fraction(0))


class TestPick:
    def test_one_pick_has_the_law_of_its_weights(self):
        assert law_of(lambda draws: draws.pick(exact(1, 0, 3), HERE)) == {0: Fraction(1, 4), 2: Fraction(3, 4)}

    def test_two_addresses_are_independent(self):
        law = law_of(lambda draws: (draws.pick(exact(1, 1), HERE), draws.pick(exact(1, 2), THERE)))
        assert law == {(0, 0): Fraction(1, 6), (0, 1): Fraction(1, 3), (1, 0): Fraction(1, 6), (1, 1): Fraction(1, 3)}

    def test_one_address_twice_is_one_number(self):
        """The uniform lies below 1/2 or above it; only then is it compared with 1/3."""
        law = law_of(lambda draws: (draws.pick(exact(1, 1), HERE), draws.pick(exact(1, 2), HERE)))
        assert law == {(0, 0): Fraction(1, 3), (0, 1): Fraction(1, 6), (1, 1): Fraction(1, 2)}

    def test_a_third_pick_falls_within_what_the_first_two_left_open(self):
        def program(draws):
            return tuple(draws.pick(exact(*weights), HERE) for weights in ((1, 1), (1, 2), (1, 1)))

        assert law_of(program) == {(0, 0, 0): Fraction(1, 3), (0, 1, 0): Fraction(1, 6), (1, 1, 1): Fraction(1, 2)}

    def test_weights_without_mass_are_refused(self):
        with pytest.raises(BadLaw, match="cannot draw from weights that sum to 0"):
            law_of(lambda draws: draws.pick(exact(0, 0), HERE))

    def test_a_forgotten_number_is_refused(self):
        draws = ExploredDraws(Path(), Knowledge(floor=4))
        with pytest.raises(AddressReused, match="round that starts at 4"):
            draws.pick(exact(1, 1), HERE)


class TestRace:
    def test_one_race_has_the_law_of_its_weights(self):
        law = law_of(lambda draws: draws.race(exact(2, 0, 5, 3), 7))
        assert law == {0: Fraction(1, 5), 2: Fraction(1, 2), 3: Fraction(3, 10)}

    def test_positions_are_independent(self):
        law = law_of(lambda draws: (draws.race(exact(1, 1), 1), draws.race(exact(1, 1), 2)))
        assert set(law.values()) == {Fraction(1, 4)}

    @pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
    def test_two_races_on_one_noise_agree_as_often_as_the_closed_form_says(self, rows):
        p, q = (np.array(row, dtype=object) for row in rows)
        law = law_of(lambda draws: (draws.race(q, 0), draws.race(p, 0)))
        assert sum(chance for (first, second), chance in law.items() if first == second) == coupled_overlap(p, q)
        for token, chance in enumerate(p):
            assert sum(c for (_, second), c in law.items() if second == token) == chance

    def test_the_winner_removed_and_raced_again_is_a_draw_without_replacement(self):
        q = exact(Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))

        def two_best(draws):
            first = draws.race(q, 0)
            rest = q.copy()
            rest[first] = Fraction(0)
            return first, draws.race(rest, 0)

        law = law_of(two_best)
        assert law[0, 1] == Fraction(1, 2) * Fraction(1, 3) / Fraction(1, 2)
        assert law[2, 0] == Fraction(1, 6) * Fraction(1, 2) / Fraction(5, 6)

    def test_regions_share_the_whole_and_agree_with_a_million_directions(self):
        """Three races on four runners, against a plain simulation at a stated error: |gap| < 5 standard errors."""
        random, generator = Random(4), np.random.default_rng(4)
        rates = [tuple(Fraction(random.randint(0, 5), 7) for _ in range(4)) for _ in range(2)] + [(Fraction(1),) * 4]
        noise = generator.exponential(size=(1_000_000, 4))
        with np.errstate(divide="ignore"):
            winners = np.stack([(noise / np.array([float(rate) for rate in row])).argmin(-1) for row in rates], 1)
        regions = {(): whole(4)}
        for row in rates:
            regions = {(*key, runner): part for key, region in regions.items() for runner, part in enumerate(run_race(region, row)) if part}
        assert sum(map(share, regions.values())) == 1
        for key, region in regions.items():
            chance, seen = float(share(region)), (winners == key).all(-1).mean()
            assert abs(seen - chance) < 5 * (chance / 1_000_000) ** 0.5 + 1e-9

    def test_a_race_that_nobody_can_win_is_refused(self):
        with pytest.raises(BadLaw, match="no branch with weight"):
            law_of(lambda draws: draws.race(exact(0, 0), 0))

    def test_what_a_race_showed_is_kept_until_its_position_is_passed(self):
        known = Knowledge()
        draws = ExploredDraws(Path(), known)
        draws.race(exact(1, 1), 5)
        draws.pick(exact(1, 1), HERE)
        assert set(known.forget(5).regions) == {5}
        assert not known.forget(6).regions
        assert set(known.forget(3).intervals) == {HERE}
        assert not known.forget(4).intervals
        assert known.forget(6).floor == 6
