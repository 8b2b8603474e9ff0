"""Every path of a program, once, with its exact probability."""

from fractions import Fraction

import pytest

from draftproof.errors import BadLaw, NotReproducible
from draftproof.proof.explore import Decision, explore, explore_from, paths

HALF = (Fraction(1), Fraction(1))
THIRDS = (Fraction(1), Fraction(0), Fraction(2))


def test_a_program_without_decisions_has_one_path():
    assert list(explore(lambda path: "done")) == [("done", 1)]


def test_every_live_branch_is_taken_once_and_the_probabilities_sum_to_one():
    found = list(explore(lambda path: (path.choose(HALF), path.choose(THIRDS))))
    assert dict(found) == {(0, 0): Fraction(1, 6), (0, 2): Fraction(1, 3), (1, 0): Fraction(1, 6), (1, 2): Fraction(1, 3)}
    assert len(found) == 4


def test_later_decisions_may_depend_on_earlier_ones():
    def geometric(path):
        rounds = 0
        while rounds < 3 and path.choose(HALF):
            rounds += 1
        return rounds

    assert dict(explore(geometric)) == {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 8), 3: Fraction(1, 8)}


def test_a_decision_with_one_live_branch_is_no_fork():
    assert list(explore(lambda path: path.choose([Fraction(0), Fraction(5)]))) == [(1, 1)]


def test_weights_are_whole_numbers_or_fractions():
    for weights in [(1, 0, 2), (Fraction(1, 6), 0, Fraction(1, 3)), THIRDS]:
        assert dict(explore(lambda path, weights=weights: path.choose(weights))) == {0: Fraction(1, 3), 2: Fraction(2, 3)}


def test_paths_with_a_beginning_are_those_that_begin_so_and_have_their_probability_from_there():
    beginning = [Decision((1, 1), 1)]
    seen = {}
    for path in paths(beginning):
        taken = (path.choose((1, 1)), path.choose((1, 3)))
        seen[taken] = path.probability
    assert seen == {(1, 0): Fraction(1, 4), (1, 1): Fraction(3, 4)}


def test_many_starts_run_together_give_what_each_gives_alone():
    def program(runs):
        return [(start, path.choose(HALF if start == "a" else THIRDS)) for start, path in runs]

    for together in (1, 2, 50):
        found = {(outcome, probability) for _, outcome, probability in explore_from(["a", "b"], program, together=together)}
        assert found == {(("a", 0), Fraction(1, 2)), (("a", 1), Fraction(1, 2)), (("b", 0), Fraction(1, 3)), (("b", 2), Fraction(2, 3))}


def test_a_decision_without_weight_is_refused():
    with pytest.raises(BadLaw, match="decision 0 has no branch with weight"):
        list(explore(lambda path: path.choose([Fraction(0)])))


def test_a_program_that_keeps_state_between_runs_is_caught():
    runs = []

    def forgetful(path):
        runs.append(1)
        return path.choose([Fraction(1), Fraction(len(runs))])

    with pytest.raises(NotReproducible, match="must not keep state"):
        list(explore(forgetful))


def test_a_program_that_stops_early_on_replay_is_caught():
    runs = []

    def shrinking(path):
        runs.append(1)
        return path.choose(HALF) if len(runs) == 1 else 0

    with pytest.raises(NotReproducible, match="ended after 0 decisions"):
        list(explore(shrinking))


def test_a_message_has_both_runs_side_by_side():
    runs = []

    def forgetful(path):
        runs.append(1)
        path.choose(HALF, "coin")
        return path.choose([Fraction(1), Fraction(len(runs))], "die")

    with pytest.raises(NotReproducible) as raised:
        list(explore(forgetful))
    assert str(raised.value).endswith(
        "\n  0: first coin ['1', '1'] -> 0; now the same\n  1: first die ['1', '1'] -> 1; now die ['1', '2'] -> 1"
    )


def test_a_replay_that_decides_something_else_with_the_same_weights_is_caught():
    runs = []

    def confused(path):
        runs.append(1)
        return path.choose(HALF, f"run {len(runs)}")

    with pytest.raises(NotReproducible, match="run 2"):
        list(explore(confused))
