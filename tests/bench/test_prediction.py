"""What the cost model promises is what a machine that obeys it shows; where a machine does not, the report says by how much and why."""

from dataclasses import replace

import pytest

from draftproof.bench.contender import Round
from draftproof.bench.costs import Costs
from draftproof.bench.prediction import Compared, leviathan, predict
from draftproof.errors import BadRequest
from draftproof.models.cost import PassCost

from .timed_runs import plain_rounds, timed_run

FREE = PassCost(((1, 20.0), (16, 20.0)))
STAIRS = PassCost(((2, 20.0), (4, 24.0), (8, 32.0)), least_rows=2)
COSTS = Costs(STAIRS, round_ms=1.0, token_ms=0.5)
FIRST_MS = 100.0
EVEN = [Round(1, 1), Round(1, 0)] * 10
"""Half of all drafts are kept, one token each."""
UNEVEN = [Round(3, 3), Round(0, 0), Round(3, 0), Round(7, 5)] * 10


def obedient(costs, rounds, *, slower=1.0, plain_slower=1.0, place=0, repeat=0, parts=(), digest="same"):
    """(run with drafts, run without) of a machine that takes what the costs say, or a multiple of it."""
    first = FIRST_MS + costs.passes_ms(rounds[:1]) - costs.target.ms([1]) + rounds[0].accepted * costs.token_ms
    drafted = timed_run(
        rounds,
        lambda each: slower * costs.ms([each], each.accepted + 1),
        first_ms=first,
        drafts=True,
        place=place,
        repeat=repeat,
        parts=parts,
        digest=digest,
    )
    plain = timed_run(
        plain_rounds(drafted.tokens),
        lambda each: plain_slower * costs.plain_ms,
        first_ms=FIRST_MS,
        drafts=False,
        place=place,
        repeat=repeat,
    )
    return drafted, plain


def predicted(costs, rounds, **how):
    drafted, plain = obedient(costs, rounds, **how)
    return predict([drafted], [plain], costs)


class TestTheFormula:
    def test_is_leviathans(self):
        assert leviathan(0.8, 6, 0.1) == pytest.approx(2.47, abs=0.005)
        assert leviathan(0.5, 2, 0.1) == pytest.approx(1.46, abs=0.005)
        assert leviathan(1.0, 3, 0.0) == 4
        assert leviathan(0.0, 3, 0.0) == 1

    def test_is_the_model_where_rows_are_free_and_nothing_else_happens(self):
        seen = predicted(Costs(FREE), EVEN)
        assert seen.formula.predicted == pytest.approx(1.5)
        assert seen.decoding.predicted == pytest.approx(1.5, rel=0.03)
        assert seen.rows_cost == 1
        assert not any("Leviathan" in sentence for sentence in predicted(Costs(FREE), EVEN * 50).sentences)

    def test_knows_what_a_draft_model_costs(self):
        seen = predicted(Costs(FREE, draft=PassCost(((1, 5.0), (64, 5.0)))), EVEN)
        assert seen.draft_share == 0.25
        assert seen.formula.predicted == pytest.approx(1.5 / 1.25)
        assert seen.decoding.difference == pytest.approx(0)


class TestTheModel:
    @pytest.mark.parametrize("rounds", [EVEN, UNEVEN], ids=["even", "uneven"])
    @pytest.mark.parametrize(
        "costs", [Costs(FREE), COSTS, replace(COSTS, draft=PassCost(((1, 4.0), (64, 4.0))))], ids=["free", "stairs", "drawn"]
    )
    def test_is_right_about_a_machine_that_obeys_it(self, costs, rounds):
        seen = predicted(costs, rounds)
        assert seen.decoding.difference == pytest.approx(0)
        assert seen.whole.difference == pytest.approx(0, abs=1e-9)
        assert (seen.plain_drift, seen.drafted_drift) == (pytest.approx(1), pytest.approx(1))
        assert seen.decoding.holds
        assert seen.whole.holds

    def test_takes_the_reading_of_a_prompt_for_as_many_tokens_as_it_was_worth(self):
        def slowed(run):
            """Three times slower, the reading included."""
            reply = run.replies[0]
            return replace(run, seconds=3 * run.seconds, replies=(replace(reply, times=tuple(3 * time for time in reply.times)),))

        drafted, plain = obedient(Costs(FREE), UNEVEN)
        seen = predict([slowed(drafted)], [slowed(plain)], Costs(FREE))
        assert seen.plain_drift == pytest.approx(3)
        assert seen.whole.difference == pytest.approx(0)

    def test_goes_from_the_formula_to_whole_requests_step_by_step(self):
        seen = predicted(COSTS, UNEVEN)
        formula, uneven, rows, outside, reading = seen.steps
        assert formula.speedup == seen.formula.predicted
        assert uneven.known == "75% of the rounds draft anything, the first token is kept in 67%, the last of 6 in 0%"
        assert uneven.speedup > rows.speedup > reading.speedup > 1
        assert rows.known == f"a pass of its rows costs {seen.rows_cost:.2f} plain ones"
        assert (outside.speedup, reading.speedup) == (seen.decoding.predicted, seen.whole.predicted)
        assert reading.known.startswith("of a plain request")
        (sentence,) = seen.sentences
        assert sentence.startswith(f"Leviathan's formula says {formula.speedup:.2f}, the measured costs {reading.speedup:.2f}: 75% of the")

    def test_takes_no_time_from_runs_with_drafts(self):
        slow, obeying = predicted(COSTS, UNEVEN, slower=3.0), predicted(COSTS, UNEVEN)
        assert slow.steps == obeying.steps
        assert (slow.decoding.predicted, slow.whole.predicted) == (obeying.decoding.predicted, obeying.whole.predicted)

    def test_weighs_prompts_and_takes_the_median_of_repeats(self):
        pairs = [obedient(COSTS, UNEVEN, place=place, repeat=repeat) for place in (0, 1) for repeat in range(3)]
        disturbed, undisturbed = obedient(COSTS, UNEVEN, place=0, repeat=3, slower=50.0)
        drafted, plain = [each[0] for each in pairs], [each[1] for each in pairs]
        expected = predict(drafted, plain, COSTS).decoding.observed
        assert predict([*drafted, disturbed], [*plain, undisturbed], COSTS).decoding.observed == pytest.approx(expected)

    def test_counts_tokens_where_the_texts_differ(self):
        drafted, _ = obedient(COSTS, UNEVEN, digest="another")
        _, plain = obedient(COSTS, UNEVEN[:12])
        seen = predict([drafted], [plain], COSTS)
        assert seen.decoding.difference == pytest.approx(0)
        assert seen.acceptance.tokens == drafted.tokens


class TestWhereItIsWrong:
    def test_the_report_says_so_and_what_the_clock_of_the_parts_saw(self):
        parts = (("target", 0.9), ("draft", 0.4), ("sampling", 0.02), ("verdict", 0.01), ("rest", 0.02))
        seen = predicted(COSTS, UNEVEN, slower=1.3, parts=parts)
        assert not seen.decoding.holds
        assert seen.decoding.difference == pytest.approx(0.3)
        assert seen.drafted_drift == pytest.approx(1.3)
        last = seen.sentences[-1]
        assert "rounds with drafts took 1.30 times what the model says, those without 1.00 times" in last
        assert "outside the target's passes a round took 11.25 ms, the drafter's 10.00 included, and the model has 2.50" in last

    def test_without_parts_it_says_what_it_can(self):
        assert predicted(COSTS, UNEVEN, slower=1.3).sentences[-1].endswith("those without 1.00 times.")

    def test_a_machine_that_changed_for_both_is_named_though_the_ratio_holds(self):
        seen = predicted(COSTS, UNEVEN, slower=1.3, plain_slower=1.3)
        assert seen.decoding.difference == pytest.approx(0)
        assert any("Without drafts a token took 1.30 times what the table of passes says" in sentence for sentence in seen.sentences)

    def test_a_tenth_is_the_limit(self):
        assert Compared(1.1, 1.0001).holds
        assert not Compared(1.11, 1.0).holds
        assert Compared(0.9, 1.0).difference == pytest.approx(-0.1)

    def test_the_first_burst_can_be_what_is_off(self):
        drafted, plain = obedient(COSTS, EVEN)
        late = tuple(time + 5.0 for time in drafted.replies[0].times)
        drafted = replace(drafted, seconds=drafted.seconds + 5.0, replies=(replace(drafted.replies[0], times=late),))
        seen = predict([drafted], [plain], COSTS)
        assert seen.decoding.holds
        assert not seen.whole.holds
        assert seen.sentences[-1].startswith("The rest of the difference lies in the first burst")


def test_runs_that_tell_no_rounds_are_refused():
    drafted, plain = obedient(COSTS, EVEN)
    silent = replace(drafted, replies=(replace(drafted.replies[0], rounds=()),))
    for runs in ([silent], []):
        with pytest.raises(BadRequest, match="there are no rounds to predict from"):
            predict(runs, [plain], COSTS)


class TestTextThatComesAllAtOnce:
    """A server may send everything at the end. Then no time is known of the rounds after the first."""

    def at_once(self, run):
        reply = run.replies[0]
        return replace(run, replies=(replace(reply, times=(reply.seconds,) * len(reply.times)),))

    @pytest.mark.parametrize("side", ["with drafts", "without", "both"])
    def test_is_not_predicted(self, side):
        drafted, plain = obedient(COSTS, EVEN)
        drafted = drafted if side == "without" else self.at_once(drafted)
        plain = plain if side == "with drafts" else self.at_once(plain)
        with pytest.raises(BadRequest, match="took no time after the first one: all of its text came at one moment"):
            predict([drafted], [plain], COSTS)

    def test_is_left_out_beside_text_that_does_not(self):
        pairs = [obedient(COSTS, EVEN, place=place) for place in range(3)]
        drafted, plain = [each[0] for each in pairs], [each[1] for each in pairs]
        assert predict([*drafted[:2], self.at_once(drafted[2])], plain, COSTS).steps == predict(drafted[:2], plain[:2], COSTS).steps

    def test_is_not_predicted_where_it_is_empty(self):
        drafted, plain = obedient(COSTS, EVEN)
        empty = replace(plain, replies=(replace(plain.replies[0], tokens=0),))
        with pytest.raises(BadRequest, match="or there was none"):
            predict([drafted], [empty], COSTS)
