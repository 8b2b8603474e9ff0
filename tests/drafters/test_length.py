"""The width that is chosen is the one that emits the most tokens a millisecond, by trying them all."""

from itertools import pairwise, product
from random import Random
from statistics import mean

import pytest

from draftproof.drafters.length import Candidate, Choice, choose
from draftproof.models.cost import PassCost

FLAT = PassCost(((1, 10.0), (9, 10.0)))
STAIRS = PassCost(((1, 10.0), (2, 11.0), (4, 12.0), (5, 20.0), (8, 21.0)))
DRAFT = PassCost(((1, 2.0), (4, 2.0)))


def falling(random, width):
    return sorted((random.random() for _ in range(width)), reverse=True)


def random_cost(random):
    milliseconds = sorted(random.uniform(5, 40) for _ in range(4))
    return PassCost(
        tuple(zip((1, 3, 4, 8), milliseconds, strict=True)), random.randint(1, 3), (3, 4, 8), random.uniform(0, 5), random.random()
    )


def rate(batch, choices, cost, draft_cost, before=0):
    """Tokens a millisecond of a batch, from the definition."""
    chosen = [(row[choice.candidate], choice.width) for row, choice in zip(batch, choices, strict=True) if choice.width]
    tokens = len(batch) + sum(sum(candidate.survival[:width]) for candidate, width in chosen)
    rows = [1 + choice.width for choice in choices]
    depths = [width for candidate, width in chosen if candidate.drawn]
    passes = [sum(depth > place for depth in depths) for place in range(max(depths, default=0))]
    plain, all_rows = len(batch) * cost.least_rows, sum(max(count, cost.least_rows) for count in rows)
    leaves = cost.step(all_rows) not in (cost.step(before), cost.step(plain))
    return tokens / (cost.ms(rows) + 2 * cost.change_ms * leaves + sum(draft_cost.ms([1] * count) for count in passes))


def options(row):
    return [Choice(0, 0)] + [Choice(number, width + 1) for number, candidate in enumerate(row) for width in range(len(candidate.survival))]


def random_batch(random, rows, kinds):
    return [[Candidate(falling(random, random.randint(0, 5)), drawn=drawn) for drawn in kinds] for _ in range(rows)]


def best_rate(batch, cost, draft_cost, before=0):
    return max(rate(batch, choices, cost, draft_cost, before) for choices in product(*map(options, batch)))


def test_one_row_takes_the_best_of_all_that_it_could_draft():
    random, widths, sources = Random(0), set(), set()
    for _ in range(300):
        cost, draft_cost, before = random_cost(random), random_cost(random), random.randint(0, 9)
        batch = random_batch(random, 1, (False, False, True))
        (choice,) = choose(batch, cost, draft_cost, before=before)
        assert rate(batch, [choice], cost, draft_cost, before) == pytest.approx(best_rate(batch, cost, draft_cost, before))
        widths.add(choice.width)
        sources |= {choice.candidate} if choice.width else set()
    assert widths == {0, 1, 2, 3, 4, 5}
    assert sources == {0, 1, 2}


def test_rows_that_guess_in_one_way_take_the_best_of_all_on_a_staircase_that_charges_no_change():
    random, widths = Random(1), set()
    for _ in range(100):
        steps = {4: 5.0, 6: 8.0, 9: random.uniform(8, 12), 18: random.uniform(12, 30)}
        stairs = {*steps.items(), *((low + 1, steps[high]) for low, high in pairwise((0, *steps)))}
        read_share = random.choice((0.0, random.random()))
        cost = PassCost(tuple(sorted(stairs)), random.randint(1, 2), tuple(steps), 0.0, read_share)
        batch, before = random_batch(random, 3, [False]), random.randint(0, 18)
        choices = choose(batch, cost, before=before)
        assert rate(batch, choices, cost, DRAFT, before) == pytest.approx(best_rate(batch, cost, DRAFT, before))
        widths.add(tuple(choice.width for choice in choices))
    assert len(widths) > 15


def test_rows_with_a_choice_come_close_to_the_best_of_all_and_never_fall_below_no_draft():
    random, shares = Random(2), []
    for _ in range(60):
        cost, draft_cost, before = random_cost(random), random_cost(random), random.randint(0, 9)
        batch = random_batch(random, 2, (False, True))
        found = rate(batch, choose(batch, cost, draft_cost, before=before), cost, draft_cost, before)
        assert found >= rate(batch, [Choice(0, 0)] * 2, cost, draft_cost, before) - 1e-12
        shares.append(found / best_rate(batch, cost, draft_cost, before))
    assert mean(shares) > 0.995
    assert min(shares) > 0.9


def test_a_step_that_is_too_high_for_one_row_pays_for_several():
    cost = PassCost(((8, 10.0), (9, 14.0), (16, 14.0)), steps=(8, 16))
    row = [Candidate([0.5])]
    assert choose([row, *[[]] * 7], cost) == [Choice(0, 0)] * 8
    assert choose([row] * 8, cost) == [Choice(0, 1)] * 8


def test_a_token_that_costs_nothing_is_drafted_after_a_likelier_one_that_does_not_pay():
    cost = PassCost(((4, 10.0), (5, 30.0), (6, 30.0)), least_rows=2, steps=(4, 6))
    assert choose([[Candidate([0.9, 0.8])], [Candidate([0.3])]], cost) == [Choice(0, 1), Choice(0, 1)]


def test_nothing_is_chosen_for_nobody():
    assert choose([], FLAT) == []


def test_rows_that_cost_nothing_are_drafted_in():
    assert choose([[Candidate([0.9, 0.1, 0.01])]], FLAT) == [Choice(0, 3)]
    assert choose([[Candidate([0.05, 0.04])]], PassCost(((2, 10.0), (3, 30.0)), least_rows=2)) == [Choice(0, 1)]


def test_a_draft_ends_before_a_step_that_does_not_pay():
    assert choose([[Candidate([0.9, 0.8, 0.7, 0.1, 0.1])]], STAIRS) == [Choice(0, 3)]
    assert choose([[Candidate([0.9] * 7)]], STAIRS) == [Choice(0, 7)]
    assert choose([[Candidate([0.05, 0.04, 0.03])]], STAIRS) == [Choice(0, 0)]


def test_of_equally_good_drafts_the_shortest_is_taken_and_then_the_first():
    line = PassCost(((1, 10.0), (2, 20.0)))
    assert choose([[Candidate([1.0, 1.0, 1.0])]], line) == [Choice(0, 0)]
    assert choose([[Candidate([0.5, 0.0]), Candidate([0.5])]], FLAT) == [Choice(0, 1)]
    assert choose([[Candidate([0.25, 0.25]), Candidate([0.5])]], FLAT) == [Choice(1, 1)]


def test_a_drafted_token_is_paid_for():
    guess, drawn = Candidate([0.5]), Candidate([0.6, 0.5, 0.4], drawn=True)
    assert choose([[guess, drawn]], FLAT, PassCost(((1, 5.0), (2, 5.0)))) == [Choice(0, 1)]
    assert choose([[guess, drawn]], FLAT, PassCost(((1, 0.1), (2, 0.1)))) == [Choice(1, 3)]


def test_a_row_that_joins_a_pass_of_the_draft_model_pays_only_for_its_own_row():
    weak, strong = [Candidate([0.15], drawn=True)], [Candidate([0.9], drawn=True)]
    assert choose([weak], FLAT, DRAFT) == [Choice(0, 0)]
    assert choose([strong, weak], FLAT, DRAFT) == [Choice(0, 1), Choice(0, 1)]


def test_a_dear_pass_shared_by_many_rows_is_not_lengthened_for_one():
    """Six rows at 10 ms each: what one row gains, five others wait for."""
    cost = PassCost(((1, 10.0), (2, 12.0), (6, 20.0), (7, 30.0), (12, 80.0)))
    row = [Candidate([0.6])]
    assert choose([row], cost) == [Choice(0, 1)]
    assert choose([row, *[[]] * 5], cost) == [Choice(0, 0)] * 6


def test_a_better_survival_never_makes_a_draft_shorter():
    random = Random(1)
    for _ in range(100):
        cost = random_cost(random)
        factors = sorted(random.random() for _ in range(5))
        widths = [choose([[Candidate([factor ** (depth + 1) for depth in range(5)])]], cost)[0].width for factor in factors]
        assert all(before <= after for before, after in pairwise(widths))


def test_a_draft_that_changes_the_pass_is_left_until_it_pays_and_then_kept():
    cost = PassCost(((1, 10.0), (4, 10.0), (5, 12.0), (8, 12.0)), steps=(4, 8), change_ms=4.0)
    guess = [[Candidate([0.9, 0.9, 0.9, 0.7])]]
    assert choose(guess, cost, before=1) == [Choice(0, 3)]
    assert choose(guess, cost, before=8) == [Choice(0, 3)]  # a pass without drafts is at hand all the same
    assert choose([[Candidate([0.9] * 7)]], cost, before=1) == [Choice(0, 3)]
    assert choose([[Candidate([0.9] * 7)]], cost, before=8) == [Choice(0, 7)]
