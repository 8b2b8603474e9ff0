"""A round costs its passes and what is outside them, by tables alone."""

import pytest

from draftproof.bench.contender import Round
from draftproof.bench.costs import Costs, outside
from draftproof.models.cost import PassCost

from .timed_runs import plain_rounds, timed_run

PASSES = PassCost(((2, 20.0), (4, 24.0), (8, 32.0)), least_rows=2)
DRAFT = PassCost(((1, 5.0), (2, 5.0)))


class TestCosts:
    def test_of_guesses_are_rows_and_overhead(self):
        costs = Costs(PASSES, round_ms=1.0, token_ms=0.5)
        assert costs.plain_ms == 21.5
        assert costs.draft_share == 0
        assert costs.ms([Round(0, 0), Round(3, 2)], tokens=4) == 20 + 24 + 2 * 1.0 + 4 * 0.5

    def test_of_a_draft_model_are_a_pass_and_a_law_a_drafted_token(self):
        costs = Costs(PASSES, DRAFT, round_ms=1.0, token_ms=0.5)
        assert costs.drafting_ms(3) == 3 * 5.5
        assert costs.draft_share == 5.5 / 20
        assert costs.passes_ms([Round(0, 0), Round(3, 2)]) == 20 + 24 + 3 * 5.5


class TestPassesThatAreFilledUp:
    COSTS = Costs(PassCost(((2, 20.0), (8, 20.0), (9, 30.0), (16, 30.0)), least_rows=2, steps=(8, 16), change_ms=3.0))

    def test_take_more_where_they_change(self):
        assert self.COSTS.target_ms([[0], [7], [3]]) == 60
        assert self.COSTS.target_ms([[0], [8], [15], [0]]) == 20 + 30 + 30 + 20 + 2 * 3
        assert self.COSTS.passes_ms([Round(0, 0), Round(8, 1), Round(0, 0)]) == 20 + 30 + 20 + 2 * 3

    def test_are_filled_by_a_batch_together(self):
        assert self.COSTS.target_ms([[0, 0, 0, 0], [0, 0, 0, 2]]) == 20 + 30 + 3


class TestOutside:
    def run(self, **parts):
        return timed_run(plain_rounds(10), lambda each: 20.0, first_ms=50.0, drafts=False, parts=tuple(parts.items()))

    def test_is_what_the_clock_says_of_the_parts_that_are_no_pass(self):
        run = self.run(target=0.3, draft=0.01, sampling=0.02, verdict=0.03, rest=0.04)
        assert outside([run, run]) == (pytest.approx(5.0), pytest.approx(5.0))

    def test_is_nothing_where_the_engine_does_not_tell(self):
        assert outside([self.run()]) == (0, 0)
        assert outside([]) == (0, 0)
