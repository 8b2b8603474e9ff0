"""The exploration of a program: what is reported, when it stops, and every way to misuse it in one sentence."""

import os
import random
import threading
from fractions import Fraction
from random import choice, shuffle
from random import random as bound_early

import numpy as np
import pytest
import torch

from draftproof.errors import BadRequest, NotReproducible, Untracked
from draftproof.proof.foreign import Budget, exploration, explore_program
from draftproof.proof.laws import compare

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF = Fraction(1, 2)


def tosses(count):
    return lambda: tuple(random.randrange(2) for _ in range(count))


class TestReport:
    def test_every_path_is_run_once_and_counted(self):
        found = explore_program(tosses(5))
        assert (found.progress.paths, found.progress.explored, found.decisions, found.complete) == (32, 1, 5, True)
        assert found.progress.replays == 32 + 6  # the 1st, 2nd, 4th and so on are made again
        assert set(found.law.values()) == {Fraction(1, 32)}
        assert found.distance(dict.fromkeys(found.law, Fraction(1, 32))) == (0, 0)

    def test_progress_is_told_as_often_as_it_is_due_and_at_the_end(self, monkeypatch):
        told = []
        monkeypatch.setattr(exploration, "TOLD_EVERY_S", 0)
        found = explore_program(tosses(2), progress=told.append)
        assert [progress.explored for progress in told] == [Fraction(n, 4) for n in (1, 2, 3, 4, 4)]
        assert [progress.paths for progress in told] == [1, 2, 3, 4, 4]
        assert told[0].seconds <= told[-1].seconds
        assert told[-1] == found.progress
        monkeypatch.setattr(exploration, "TOLD_EVERY_S", 1000)
        told.clear()
        explore_program(tosses(2), progress=told.append)
        assert len(told) == 1

    def test_progress_is_told_in_the_world_as_it_is(self, monkeypatch):
        drawn = []
        monkeypatch.setattr(exploration, "TOLD_EVERY_S", 0)
        explore_program(
            lambda: (random.random() < 0.5, bool(torch.rand(1) < 0.5)),
            progress=lambda _: drawn.append((random.SystemRandom().random(), torch.zeros(1).item(), np.random.default_rng().random())),
        )
        assert len(drawn) == 5
        assert all(isinstance(number, float) for numbers in drawn for number in numbers)

    @pytest.mark.parametrize("paths", [1, 7, 24])
    def test_a_budget_of_paths_stops_with_two_bounds_around_the_distance(self, paths):
        def biased():
            return (random.random() < 0.5 and "rare") or tosses(4)()

        expected = dict.fromkeys(explore_program(tosses(4)).law, Fraction(1, 16))
        truth = compare(explore_program(biased).law, expected).total_variation
        part = explore_program(biased, budget=Budget(replays=paths))
        low, high = part.distance(expected)
        assert not part.complete or paths == 24
        assert low <= truth <= high
        assert high - low == 1 - part.progress.explored

    def test_a_budget_of_seconds_stops(self):
        found = explore_program(tosses(40), budget=Budget(seconds=0.05))
        assert not found.complete
        assert 0.05 < found.progress.seconds < 5

    @pytest.mark.parametrize(
        ("returned", "outcome"),
        [
            (np.array([[1, 2]]), ((1, 2),)),
            (torch.tensor([1.5]), (1.5,)),
            (torch.tensor(3), 3),
            (np.float64(2), 2.0),
            ({"text": [1, "a"]}, (("text", (1, "a")),)),
            (None, None),
        ],
    )
    def test_an_outcome_is_a_plain_value(self, returned, outcome):
        assert explore_program(lambda: returned).law == {outcome: 1}

    def test_an_error_of_the_program_is_its_own_and_tells_the_path(self):
        def fails():
            if random.random() < 0.5:
                return 1 / 0
            return 0

        with pytest.raises(ZeroDivisionError) as raised:
            explore_program(fails)
        assert "uniform number 0 below or above" in raised.value.__notes__[0]

    def test_everything_is_as_it_was_afterwards(self):
        before = (random.random, random.Random.random, np.random.rand, np.random.default_rng, torch.manual_seed, random.getstate())
        explore_program(tosses(2))
        with pytest.raises(Untracked):
            explore_program(lambda: float(random.random()))
        assert before == (random.random, random.Random.random, np.random.rand, np.random.default_rng, torch.manual_seed, random.getstate())
        assert isinstance(random.random() + np.random.rand() + torch.rand(1).item(), float)


class TestLikeliest:
    def test_every_outcome_has_the_decisions_of_its_likeliest_path(self):
        def program():
            first = random.random() < 0.25
            return first == (random.randrange(3) == 0)

        found = explore_program(program)
        assert {outcome: [decision.taken for decision in way] for outcome, way in found.likeliest.items()} == {False: [1, 0], True: [1, 1]}
        assert str(found.likeliest[True][0]) == "uniform number 0 below or above ['1', '3'] -> 1"

    def test_a_number_that_is_asked_twice_is_named_twice(self):
        def reuses():
            number, other = random.random(), random.random()
            return number < 0.5, other < 0.5, number < 0.25

        (way,) = (way for outcome, way in explore_program(reuses).likeliest.items() if outcome == (True, True, True))
        assert [decision.what for decision in way] == [f"uniform number {place} below or above" for place in (0, 1, 0)]

    def test_of_equal_ones_it_is_the_first(self):
        found = explore_program(lambda: random.randrange(4) // 2)
        assert [way[0].taken for way in found.likeliest.values()] == [0, 2]


class TestNotReproducible:
    def test_state_that_changes_a_decision_is_shown_with_both_runs_side_by_side(self):
        kept = []

        def learns():
            first = random.random() < 0.5
            kept.append(first)
            return first, random.random() < 1 / (1 + len(kept))

        with pytest.raises(NotReproducible, match=r"(?s)decision \d.*first uniform number 1 below.*now "):
            explore_program(learns)

    def test_state_that_ends_a_run_early_is_shown(self):
        kept = []

        def tires():
            kept.append(1)
            return random.random() < 0.5 if len(kept) < 2 else None

        with pytest.raises(NotReproducible, match="now the run ended"):
            explore_program(tires)

    def test_state_that_changes_only_what_is_returned_is_shown(self):
        kept = []

        def counts():
            kept.append(1)
            return random.randrange(2), len(kept)

        with pytest.raises(NotReproducible, match=r"led to \(0, 1\) first and to \(0, 3\) later"):
            explore_program(counts)

    def test_randomness_that_is_not_seen_is_caught_by_what_is_returned(self):
        with pytest.raises(NotReproducible, match="function of its randomness"):
            explore_program(lambda: os.urandom(8))

    def test_a_number_of_an_earlier_run_is_refused(self):
        kept = []

        def remembers():
            kept.append(random.random())
            return random.random() < 0.5, kept[0] < 0.5

        with pytest.raises(NotReproducible, match="of an earlier run is read"):
            explore_program(remembers)

    def test_a_tensor_of_an_earlier_run_is_noticed(self):
        kept = []

        def remembers():
            kept.append(torch.rand(1))
            return bool(kept[0] < 0.5)

        with pytest.raises(NotReproducible):
            explore_program(remembers)


class TestMisuse:
    def test_a_function_bound_early_works_if_it_is_written_in_terms_of_others(self):
        def program():
            items = [1, 2, 3]
            shuffle(items)
            return choice(items)

        assert explore_program(program).law == dict.fromkeys((1, 2, 3), Fraction(1, 3))

    def test_a_compiled_function_bound_early_where_no_variable_holds_it_is_noticed(self):
        with pytest.raises(Untracked, match="global generator of random by a name it had bound before"):
            explore_program(lambda draws=(bound_early,): draws[0]() < 2)

    def test_a_compiled_function_in_a_place_that_is_not_searched_is_noticed(self):
        with pytest.raises(Untracked, match=r"global generator of numpy\.random"):
            explore_program(lambda: np.random.mtrand._rand.rand() < 2)

    def test_a_second_thread_is_refused(self):
        def threaded():
            errors = []

            def work():
                try:
                    random.random()
                except Untracked as error:
                    errors.append(error)

            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            return len(errors)

        with pytest.raises(Untracked, match="in a second thread"):
            explore_program(threaded)

    def test_torch_in_a_second_thread_is_noticed(self):
        def threaded():
            thread = threading.Thread(target=lambda: torch.rand(1))
            thread.start()
            thread.join()

        with pytest.raises(Untracked, match="global generator of torch"):
            explore_program(threaded)

    def test_a_tensor_that_is_not_on_the_cpu_is_refused(self):
        with pytest.raises(Untracked, match=r"torch\.rand on meta; a proof runs on the CPU"):
            explore_program(lambda: torch.rand(1, device="meta"))

    def test_a_number_with_too_many_values_is_refused(self):
        with pytest.raises(Untracked, match="1000000 values, a path each"):
            explore_program(lambda: random.randrange(1_000_000))

    def test_a_random_number_is_no_outcome(self):
        for program in (lambda: random.random(), lambda: [np.random.rand(2)], lambda: torch.rand(2)):
            with pytest.raises(Untracked, match="returns a random number itself"):
                explore_program(program)

    def test_what_has_not_run_yet_is_no_outcome(self):
        async def later():
            return 1

        def tokens():
            yield 1

        with pytest.raises(BadRequest, match="generator, which has not run yet"):
            explore_program(tokens)
        coroutine = later()
        with pytest.raises(BadRequest, match="coroutine, which has not run yet"):
            explore_program(lambda: coroutine)
        coroutine.close()

    def test_what_cannot_be_told_from_others_is_no_outcome(self):
        with pytest.raises(BadRequest, match="set, which cannot be told from others"):
            explore_program(lambda: {1, 2})

    @pytest.mark.parametrize("budget", [Budget(replays=0), Budget(seconds=0)])
    def test_an_empty_budget_is_refused(self, budget):
        with pytest.raises(BadRequest, match="a budget above 0"):
            explore_program(tosses(1), budget=budget)

    def test_an_error_of_a_draw_is_the_library_s_own(self):
        def careless():
            try:
                return torch.multinomial(torch.zeros(2), 1).item()
            except RuntimeError:
                return 0

        assert explore_program(careless).law == {0: 1}
        with pytest.raises(ValueError, match="Total of weights"):
            explore_program(lambda: random.choices([1], [0]))


class TestSeeds:
    def test_one_seed_a_run_counts_as_fresh_randomness(self):
        def program():
            random.seed(0)
            np.random.seed(0)
            torch.manual_seed(0)
            return random.random() < 0.5, np.random.rand() < 0.5, bool(torch.rand(1) < 0.5)

        assert set(explore_program(program).law.values()) == {Fraction(1, 8)}

    @pytest.mark.parametrize(
        ("owner", "name"),
        [
            (random, "seed"),
            (random, "Random"),
            (np.random, "seed"),
            (np.random, "default_rng"),
            (np.random, "RandomState"),
            (torch, "manual_seed"),
        ],
    )
    def test_the_same_seed_twice_is_refused(self, owner, name):
        def program():
            for _ in range(2):
                getattr(owner, name)(7)

        with pytest.raises(Untracked, match="seeded with 7 a second time"):
            explore_program(program)
