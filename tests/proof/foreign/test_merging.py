"""Merging at boundaries gives the law of the whole runs from fewer of them, and a key that is wrong is found out."""

import random
from fractions import Fraction

import numpy as np
import pytest
import torch

from draftproof.errors import BadRequest, NotReproducible, Untracked
from draftproof.proof.foreign import Budget, explore_merged, explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF = Fraction(1, 2)


def walk(rounds, end_round=lambda key: None, key=lambda done, place, coins: (done, place)):
    """Rounds of three coins, of which all that matters later is the number of heads."""
    place, coins = 0, []
    for done in range(rounds):
        end_round(key(done, place, coins))
        coins += [random.random() < 0.25, random.randrange(2) == 1, random.random() < 0.25]
        place += sum(coins[-3:])
    return place


def decode(end_round, *, width=2, length=5, reads=lambda text: text[-1] if text else 0):
    """A decode of two tokens by rejection, whose laws depend on the last token."""
    target, draft, text = ((0.25, 0.75), (0.5, 0.5)), ((0.5, 0.5), (0.75, 0.25)), []
    while len(text) < length:
        end_round(tuple(text))
        drafted = []
        for _ in range(width):
            drafted += random.choices(range(2), draft[reads([*text, *drafted])])
        for token in drafted:
            p, q = target[reads(text)], draft[reads(text)]
            if random.random() * q[token] >= p[token]:
                text += random.choices(range(2), [max(a - b, 0) for a, b in zip(p, q, strict=True)])
                break
            text.append(token)
        else:
            text += random.choices(range(2), target[reads(text)])
    return tuple(text[:length])


def whole(program):
    return explore_program(lambda: program(lambda key: None))


class TestLaw:
    @pytest.mark.parametrize("program", [lambda end: walk(2, end), lambda end: decode(end, length=4)], ids=["walk", "decode"])
    def test_it_is_that_of_whole_runs(self, program):
        found, expected = explore_merged(program), whole(program)
        assert found.law == expected.law
        assert found.complete
        assert found.progress.paths == expected.progress.paths
        assert found.decisions == expected.decisions
        assert found.progress.replays < expected.progress.replays

    def test_a_loop_of_four_rounds_takes_less_than_a_fifth_of_the_runs(self):
        expected = {0: Fraction(1)}
        for heads in (Fraction(1, 4), HALF, Fraction(1, 4)) * 4:
            expected = {n: expected.get(n, 0) * (1 - heads) + expected.get(n - 1, 0) * heads for n in range(len(expected) + 1)}
        found = explore_merged(lambda end: walk(4, end))
        assert found.law == expected
        assert found.progress.paths == 8**4 > 5 * found.progress.replays

    def test_keys_may_be_reached_after_different_numbers_of_rounds(self):
        def skips(end):
            place = 0
            while place < 4:
                end(place)
                place += random.randrange(1, 3)
            return place

        assert explore_merged(skips).law == whole(skips).law

    def test_keys_hold_arrays_and_tensors_as_their_numbers(self):
        def adds(end):
            state, total = np.zeros(2), torch.zeros(1)
            for _ in range(3):
                end((state, total, state.sum()))
                state[random.randrange(2)] += 1
                total += 1
            return state

        found = explore_merged(adds)
        assert found.law == whole(adds).law
        assert found.progress.paths == 8

    def test_a_program_without_boundaries_is_run_whole(self):
        assert explore_merged(lambda end: random.randrange(3)).law == dict.fromkeys(range(3), Fraction(1, 3))

    def test_the_likeliest_decisions_lead_to_each_outcome(self):
        found = explore_merged(lambda end: walk(2, end))
        assert [decision.taken for decision in found.likeliest[6]] == [0, 1, 0, 0, 1, 0]
        assert [decision.taken for decision in found.likeliest[0]] == [1, 0, 1, 1, 0, 1]
        assert found.likeliest.keys() == found.law.keys()

    @pytest.mark.parametrize("replays", [1, 5, 9, 20])
    def test_a_budget_leaves_every_outcome_no_more_than_its_probability(self, replays):
        truth = explore_merged(lambda end: walk(3, end)).law
        found = explore_merged(lambda end: walk(3, end), budget=Budget(replays))
        assert sum(found.law.values()) == found.progress.explored < 1
        assert all(chance <= truth[place] for place, chance in found.law.items())
        low, high = found.distance(truth)
        assert (low, high) == (0, 1 - found.progress.explored)


class TestKeys:
    def test_a_key_that_leaves_something_out_is_found(self):
        def remembers(end):
            first = random.random() < HALF
            end("after the first")
            return random.random() < (0.25 if first else 0.75)

        with pytest.raises(NotReproducible, match=r"(?s)key 'after the first' leaves out.*True with probability 1/4 and 3/4.*uniform"):
            explore_merged(remembers)
        assert whole(remembers).law == {True: HALF, False: HALF}

    def test_a_key_that_does_not_tell_rounds_apart_is_refused(self):
        for key in (lambda *_: "same", lambda done, *_: done % 2):
            with pytest.raises(BadRequest, match="does not tell the rounds apart"):
                explore_merged(lambda end, key=key: walk(3, end, key))

    def test_a_key_that_changes_from_run_to_run_is_seen(self):
        runs = []

        def counts(end):
            runs.append(1)
            coin = random.randrange(2)
            end(len(runs))
            return coin

        with pytest.raises(NotReproducible, match=r"led to the key 1 first and to 3 later"):
            explore_merged(counts)

    def test_a_boundary_that_is_not_met_again_is_seen(self):
        runs = []

        def tires(end):
            runs.append(1)
            coin = random.randrange(2)
            if len(runs) < 4:
                end(coin)
            return coin

        with pytest.raises(NotReproducible, match="passed 1 boundaries first and 0 later"):
            explore_merged(tires)

    def test_a_key_that_cannot_be_told_from_others_is_refused(self):
        with pytest.raises(BadRequest, match="gives as a key a set, which cannot be told from others"):
            explore_merged(lambda end: end({1}))

    def test_a_random_number_is_no_key(self):
        with pytest.raises(Untracked, match="gives as a key a random number itself"):
            explore_merged(lambda end: end([random.random()]))

    def test_a_seed_that_is_met_again_is_refused_although_rounds_are_run_apart(self):
        def reseeds(end):
            coins = []
            for done in range(2):
                random.seed(1)
                coins.append(random.random() < 0.5)
                end((done, *coins))
            return tuple(coins)

        with pytest.raises(Untracked, match="seeded with 1 a second time"):
            explore_merged(reseeds)


class TestRounds:
    @pytest.mark.parametrize("draw", [random.random, lambda: np.random.rand(), lambda: torch.rand(())], ids=["random", "numpy", "torch"])
    @pytest.mark.parametrize("first", [True, False], ids=["asked before", "never asked"])
    def test_a_number_that_outlives_its_round_is_refused(self, draw, first):
        def hoards(end):
            number = draw()
            seen = bool(number < 0.5) if first else None
            end(seen)
            return bool(number < 0.25)

        with pytest.raises(Untracked, match=r"a random number outlives its round: .* bool\(number < 0\.25\)"):
            explore_merged(hoards)

    def test_a_race_over_numbers_of_an_earlier_round_is_refused(self):
        def hoards(end):
            noise = np.random.exponential(size=2)
            first = int(noise.argmin())
            end(first)
            return first, int((noise * np.array([1, 2])).argmin())

        with pytest.raises(Untracked, match="outlives its round"):
            explore_merged(hoards)

    def test_an_error_of_the_program_is_its_own(self):
        def fails(end):
            end(random.randrange(2))
            raise KeyError("its own")

        with pytest.raises(KeyError, match="its own"):
            explore_merged(fails)

    def test_a_program_that_swallows_every_exception_is_told(self):
        def swallows(end):
            try:
                end(random.randrange(2))
            except BaseException:
                return 0
            return 1

        def hides(end):
            try:
                end(random.randrange(2))
            except BaseException as error:
                raise RuntimeError("hidden") from error

        for program in (swallows, hides):
            with pytest.raises(BadRequest, match="caught what ends its run at a boundary"):
                explore_merged(program)

    def test_a_program_that_swallows_exceptions_of_its_own_is_served(self):
        def careful(end):
            coin = random.randrange(2)
            try:
                end(coin)
            except Exception:
                return "swallowed"
            return coin

        assert explore_merged(careful).law == {0: HALF, 1: HALF}

    def test_what_is_no_function_is_refused(self):
        with pytest.raises(BadRequest, match="a function of a boundary"):
            explore_merged(3)
