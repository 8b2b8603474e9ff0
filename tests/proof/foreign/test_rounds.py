"""A loop that is run round by round, with equal states merged, has the law of the loop run whole."""

import random
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import torch

from draftproof.errors import BadRequest, NotReproducible, Untracked
from draftproof.proof.foreign import Budget, exploration, explore_program, explore_rounds

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF = Fraction(1, 2)


def step(state):
    """Two coins, of which all that matters later is the number of heads."""
    state["rounds"] += 1
    state["heads"] += (random.random() < 0.25) + random.randrange(2)


def start():
    return {"rounds": 0, "heads": 0}


def heads_after(rounds, state):
    return state["heads"] if state["rounds"] == rounds else None


def by_rounds(rounds=4, step=step, start=start, **options):
    return explore_rounds(start, step, partial(heads_after, rounds), **options)


def whole(rounds):
    def program():
        state = start()
        while heads_after(rounds, state) is None:
            step(state)
        return state["heads"]

    return explore_program(program)


def rounds_of(start, step):
    state = start()
    while state[0][2] <= 3:
        step(state)
    return state[0]


class TestLaw:
    def test_it_is_that_of_the_loop_run_whole_in_fewer_runs(self):
        found, expected = by_rounds(), whole(4)
        assert found.law == expected.law
        assert found.complete
        assert found.progress.paths == expected.progress.paths == 4**4
        assert found.progress.replays < 80
        assert found.decisions == expected.decisions == 8
        assert found.rounding == 0

    def test_the_start_may_draw_and_may_be_the_end(self):
        begins = {"rounds": 0}
        found = explore_rounds(lambda: dict(begins, heads=random.randrange(2)), step, lambda state: state["heads"])
        assert found.law == {0: HALF, 1: HALF}

    def test_a_state_of_arrays_and_tensors(self):
        def arrays():
            return [np.zeros(2), torch.zeros(1, dtype=torch.int64)]

        def add(state):
            state[0][random.randrange(2)] += 1
            state[1] += 1

        found = explore_rounds(arrays, add, lambda state: state[0] if state[1] == 3 else None)
        assert found.law == {(3.0 - n, n): Fraction(ways, 8) for n, ways in enumerate((1, 3, 3, 1))}
        assert found.progress.replays == (1 + 2 + 2 * 2 + 3 * 2) + 4  # the third state after two rounds is one state; 4 are made again

    def test_tensors_that_share_memory_share_it_again(self):
        def shared():
            text = torch.zeros(3, dtype=torch.int64)
            return [text, text[1:], torch.zeros(0)]

        def write(state):
            state[1][0] += 1 + random.randrange(2)
            state[0][2] += state[0][1]

        found = explore_rounds(shared, write, lambda state: state[0] if state[0][2] > 3 else None)
        assert found.complete
        assert found.law == explore_program(partial(rounds_of, shared, write)).law

    @pytest.mark.parametrize("make", [random.Random, random.SystemRandom, np.random.default_rng, lambda: np.random.RandomState(3)])
    def test_a_generator_in_a_state_goes_on(self, make):
        def toss(state):
            state["rounds"] += 1
            state["heads"] += bool(state["generator"].random() < 0.25)

        found = by_rounds(2, toss, lambda: {**start(), "generator": make()})
        assert found.law == {n: ways * Fraction(3 ** (2 - n), 16) for n, ways in enumerate((1, 2, 1))}

    def test_the_likeliest_decisions_lead_to_each_outcome_through_all_rounds(self):
        found = by_rounds(2)
        assert [decision.taken for decision in found.likeliest[4]] == [0, 1, 0, 1]
        assert [decision.taken for decision in found.likeliest[0]] == [1, 0, 1, 0]
        assert [decision.taken for decision in found.likeliest[2]] == [1, 1, 1, 1]
        assert found.likeliest.keys() == found.law.keys()

    def test_rounding_is_the_mean_over_paths(self):
        def races(state):
            state["rounds"] += 1
            state["heads"] += random.expovariate(1.0) < 1 if random.random() < 0.25 else 0

        def once():
            return random.expovariate(1.0) < 1

        assert by_rounds(2, races).rounding == Fraction(2, 4) * explore_program(once).rounding > 0

    @pytest.mark.parametrize("replays", [1, 5, 9, 20])
    def test_a_budget_leaves_every_outcome_no_more_than_its_probability(self, replays):
        truth = by_rounds().law
        found = by_rounds(budget=Budget(replays))
        assert sum(found.law.values()) == found.progress.explored < 1
        assert all(chance <= truth[heads] for heads, chance in found.law.items())
        assert found.distance(truth) == (0, 1 - found.progress.explored)

    def test_rounds_that_may_go_on_for_ever_end_with_the_budget(self):
        def retry(state):
            state["rounds"] += 1
            state["heads"] = random.random() < 0.5

        found = explore_rounds(start, retry, lambda state: state["rounds"] if state["heads"] else None, budget=Budget(20))
        assert not found.complete
        assert found.law == {n: HALF**n for n in found.law}
        assert len(found.law) > 5

    def test_progress_tells_runs_and_the_paths_they_stand_for(self, monkeypatch):
        monkeypatch.setattr(exploration, "TOLD_EVERY_S", 0)
        told = []
        found = by_rounds(progress=told.append)
        assert [done.explored for done in told] == sorted(done.explored for done in told)
        assert [done.paths for done in told] == sorted(done.paths for done in told)
        assert (told[0].replays, told[0].paths, told[0].explored) == (1, 0, 0)
        assert told[-1] == found.progress
        assert (told[-2].paths, told[-2].explored) == (4**4, 1)


class TestMisuse:
    @pytest.mark.parametrize(
        "number",
        [random.random, lambda: np.random.rand(2), lambda: torch.rand(2), lambda: [torch.rand(3)[1:]]],
        ids=["random", "numpy", "torch", "view"],
    )
    def test_a_random_number_in_a_state_is_refused(self, number):
        def hoard(state):
            state["rounds"] += 1
            state["number"] = number()

        with pytest.raises(Untracked, match="a random number outlives its round: the state between rounds holds one"):
            by_rounds(2, hoard)

    def test_a_random_number_that_is_kept_elsewhere_is_refused(self):
        kept = []

        def hoard(state):
            kept.append(random.random())
            state["rounds"] += 1
            state["heads"] += kept[0] < 0.5

        with pytest.raises(NotReproducible, match="a random number of an earlier run is read"):
            by_rounds(2, hoard)

    def test_hidden_state_is_seen_when_runs_are_made_again(self):
        kept = []

        def count(state):
            kept.append(1)
            state["rounds"] += 1
            state["heads"] += random.randrange(2) if state["rounds"] < 2 else len(kept)

        with pytest.raises(NotReproducible, match=r"the same draws led to \d+ first and to \d+ later"):
            by_rounds(2, count)

    def test_hidden_state_that_changes_a_decision_is_seen(self):
        kept = []

        def learn(state):
            kept.append(1)
            state["rounds"] += 1
            state["heads"] += (random.random() < 0.5) + (random.random() < 1 / len(kept))

        with pytest.raises(NotReproducible, match="now uniform"):
            by_rounds(2, learn)

    def test_a_seed_that_every_round_starts_from_is_refused(self):
        def reseed(state):
            random.seed(1)
            step(state)

        with pytest.raises(Untracked, match="seeded with 1 a second time"):
            by_rounds(2, reseed)
        assert by_rounds(1, reseed).complete

    def test_rounds_that_lead_back_to_a_state_are_refused(self):
        with pytest.raises(BadRequest, match=r"does not tell the rounds apart.*count the rounds in it"):
            explore_rounds(lambda: [0], lambda state: state.append(state.pop() ^ random.randrange(2)), lambda state: None)

    def test_an_error_of_a_round_is_its_own(self):
        with pytest.raises(ZeroDivisionError):
            by_rounds(2, lambda state: random.random() < 0.5 or 1 / 0)

    def test_what_is_no_function_is_refused(self):
        with pytest.raises(BadRequest, match="three functions"):
            explore_rounds(start, step, None)
