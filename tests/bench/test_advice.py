"""The answer is yes only where it pays for sure, and otherwise says why not."""

from dataclasses import replace

import pytest

from draftproof.bench.acceptance import Acceptance
from draftproof.bench.advice import Advice, Option, break_even
from draftproof.bench.contender import Round
from draftproof.bench.costs import Costs
from draftproof.models.cost import PassCost

STAIRS = Costs(PassCost(((1, 20.0), (2, 22.0), (4, 30.0), (16, 60.0))))
HALF = Acceptance((Round(1, 1), Round(1, 0)), 3)
SELDOM = Acceptance((*[Round(0, 0)] * 9, Round(1, 0)), 10)


def option(speedup, low, high, *, drafter="lookup", width=1, decoding=None, acceptance=HALF, model=False):
    return Option(drafter, width, model, speedup, low, high, decoding or speedup, acceptance)


def advice(*options):
    return Advice("chat", 0.0, 1, options, 1.3, tuple(break_even(STAIRS, width) for width in (1, 3, 15)))


class TestTheAnswer:
    def test_names_the_best_with_its_gain_and_the_next_of_another_kind(self):
        best, other = option(1.4, 1.2, 1.6, width=3), option(1.35, 1.1, 1.5, drafter="suffix", width="auto")
        found = advice(best, option(1.39, 1.2, 1.6), other)
        assert found.draft
        assert found.runner_up is other
        assert found.words == (
            "Draft with lookup 3: 1.40 times as fast (1.20 to 1.60), 1.5 tokens a pass. Next is suffix auto with 1.35. "
            "Chosen on the other prompts, it is 1.30 on each."
        )

    def test_is_no_where_the_gain_is_small_or_unsure(self):
        assert not advice(option(1.015, 1.01, 1.02)).draft
        assert not advice(option(1.4, 0.99, 1.9)).draft
        assert not replace(advice(option(1.4, 1.2, 1.6)), held_out=0.98).draft, "it was the best by chance"

    def test_says_with_which_model(self):
        assert option(1.4, 1.2, 1.6, drafter="best_of", model=True).name == "best_of 1 with the draft model"
        assert option(1.4, 1.2, 1.6, drafter="model", model=True).name == "model 1"
        assert advice(option(1.4, 1.2, 1.6), option(1.3, 1.2, 1.6, model=True)).runner_up is not None
        assert advice(option(1.4, 1.2, 1.6), option(1.3, 1.2, 1.6, width=2)).runner_up is None


@pytest.mark.parametrize(
    ("best", "reason"),
    [
        (option(1.4, 0.9, 1.9), "The prompts do not agree on whether it gains at all. Plan with more of them, or with longer texts."),
        (option(1.01, 0.9, 1.1, decoding=1.3), "After the prompt it would be 1.30, but both ways read the prompt first"),
        (option(1.0, 0.9, 1.1, acceptance=SELDOM), "There is little to draft from: something is proposed in 10 of 100 rounds."),
        (
            option(0.9, 0.8, 1.0, acceptance=Acceptance((Round(1, 0),) * 30 + (Round(1, 1),), 32)),
            "Few tokens are guessed: the first token of a draft is kept in 3 of 100; a round that drafts 1 takes 1.10 times as long",
        ),
        (
            option(0.9, 0.8, 1.0, width=15, acceptance=Acceptance((Round(15, 1), Round(15, 2)), 5)),
            "Rows cost too much: the first token of a draft is kept in 100 of 100; a round that drafts 15 takes 3.00 times as long",
        ),
    ],
    ids=["unsure", "reading", "seldom", "few", "rows"],
)
def test_a_no_has_its_reason(best, reason):
    words = advice(best).words
    assert words.startswith("Do not draft yet: with " if best.speedup > 1.02 else "Do not draft: with ")
    assert f"with {best.name}, the best, it would be {best.speedup:.2f} times as fast" in words
    assert reason in words


def test_a_way_that_is_best_by_chance_is_told_with_what_it_is_on_other_prompts():
    words = replace(advice(option(1.4, 1.2, 1.6)), held_out=0.98).words
    assert words.endswith("The prompts do not agree: chosen on the others, it would be 0.98 on each. Plan with more of them.")


class TestBreakEven:
    def test_of_one_token_is_what_its_row_costs_more(self):
        even = break_even(STAIRS, 1)
        assert even.cost == pytest.approx(1.1)
        assert even.acceptance == pytest.approx(0.1, abs=1e-5)

    def test_of_several_is_the_acceptance_whose_tokens_pay_for_the_round(self):
        even = break_even(STAIRS, 3)
        assert even.cost == pytest.approx(1.5)
        assert sum(even.acceptance**power for power in range(4)) == pytest.approx(1.5, abs=1e-4)

    def test_is_none_where_the_tokens_cost_more_than_they_could_bring(self):
        steep = Costs(PassCost(((1, 10.0), (2, 25.0))))
        assert break_even(steep, 1).acceptance is None

    def test_is_nothing_where_rows_are_free(self):
        assert break_even(Costs(PassCost(((1, 10.0), (9, 10.0)))), 4).acceptance == 0

    def test_counts_the_batch_the_draft_model_and_what_is_outside(self):
        assert break_even(STAIRS, 1, batch=4).cost == pytest.approx(STAIRS.target.total_ms(8) / 30)
        drawn = replace(STAIRS, draft=PassCost(((1, 5.0), (4, 5.0))), round_ms=1.0, token_ms=0.5)
        assert break_even(drawn, 3).cost == pytest.approx((30 + 3 * 5.5 + 1) / 21)


def test_an_advice_without_a_draft_has_a_reason():
    """The least that can be said is said, also where nothing was drafted at all."""
    idle = option(1.0, 1.0, 1.0, acceptance=Acceptance((Round(0, 0),), 1))
    assert "something is proposed in 0 of 100 rounds" in advice(idle).words
