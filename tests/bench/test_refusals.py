"""Why no speed-up is told: each reason with a case in which it holds and a neighbour in which it does not."""

import random
from dataclasses import replace

import numpy as np
import pytest

from draftproof.bench.contender import Order
from draftproof.bench.pairs import Pair, paired
from draftproof.bench.refusals import ALPHA, TESTABLE, lengths_p_value, refusals
from draftproof.bench.run import Run

from .scripted import Scripted, drafting, plain, runs


def pairs(*contenders: Scripted, **known: object) -> list[Pair]:
    found = runs(*contenders, **known)
    return list(paired([run for run in found if run.drafts], [run for run in found if not run.drafts]))


def reasons(found: list[Pair], *, noise: float | None = 0.0) -> tuple[str, ...]:
    return refusals(found, noise=noise)


def test_nothing_speaks_against_an_engine_that_drafts_the_same_texts_on_a_quiet_machine():
    assert reasons(pairs(plain(), drafting())) == ()


class TestPairs:
    def test_there_are_none(self):
        assert reasons([]) == ("the engine was not measured without a draft on the same orders, or nothing was emitted",)

    def test_there_are_few(self):
        assert reasons(pairs(plain(), drafting(), prompts=2)) == ("2 prompts were measured in pairs, and an interval takes 3",)

    def test_there_are_just_enough(self):
        assert reasons(pairs(plain(), drafting(), prompts=3)) == ()


class TestDrafts:
    def test_there_were_none(self):
        assert reasons(pairs(plain(), drafting(emits=1))) == ("nothing was drafted",)

    def test_there_were_but_none_was_kept(self):
        found = [pair._replace(drafting=_told(pair.drafting, drafted=9, accepted=0)) for pair in pairs(plain(), drafting(emits=1))]
        assert reasons(found) == (), "drafts that cost time and bring nothing have a speed-up, below 1"

    def test_a_silent_engine_sends_no_larger_bursts(self):
        assert reasons(pairs(plain(tells=False), drafting(tells=False, emits=1))) == (
            "the engine does not tell whether it drafted, and its text came in bursts of 1.00 tokens, where they hold 1.00 without a draft",
        )

    def test_a_silent_engine_sends_large_bursts_with_and_without_a_draft(self):
        assert len(reasons(pairs(plain(tells=False, emits=4), drafting(tells=False, emits=4)))) == 1

    def test_a_silent_engine_sends_larger_bursts(self):
        assert reasons(pairs(plain(tells=False), drafting(tells=False))) == ()

    @pytest.mark.parametrize("silent", [{"drafted": None}, {"accepted": None}, {"drafted": None, "accepted": None}])
    def test_are_told_of_some_texts_only(self, silent):
        found = pairs(plain(), drafting())
        few = [pair if pair.plain.replies[0].place else pair._replace(drafting=_told(pair.drafting, **silent)) for pair in found]
        assert reasons(few) == ("the engine tells of 36 texts what was drafted, and not of 4 others",)

    def test_need_not_be_told_where_nothing_was_written(self):
        found = pairs(plain(), drafting(length=lambda order, chance: 20 if order.seed else 0))
        few = [pair if pair.plain.replies[0].place else pair._replace(drafting=_told(pair.drafting, drafted=None)) for pair in found]
        assert not any("tells" in reason for reason in reasons(few))

    def test_there_were_without_any(self):
        found = [pair._replace(plain=_told(pair.plain, drafted=3)) for pair in pairs(plain(), drafting())]
        assert reasons(found) == ("the engine drafted 120 tokens where it was to draft none",)


class TestWhatDraftsCanDo:
    """Two tokens a pass, and passes that take as long as without."""

    @pytest.mark.parametrize("tells", [True, False])
    def test_is_to_save_passes_and_no_more(self, tells):
        found = pairs(plain(tells=tells), drafting(tells=tells, pace=0.08))
        (reason,) = reasons(found)
        assert reason.startswith("it was faster by 2")
        assert " than its drafts can have made it, which brought 2." in reason

    @pytest.mark.parametrize("tells", [True, False])
    def test_may_seem_a_little_more_by_noise(self, tells):
        assert reasons(pairs(plain(tells=tells), drafting(tells=tells, pace=0.097))) == ()

    def test_is_nothing_where_none_was_kept(self):
        found = [pair._replace(drafting=_told(pair.drafting, drafted=1)) for pair in pairs(plain(), drafting(emits=1, pace=0.07))]
        (reason,) = reasons(found)
        assert reason.endswith("which brought 1.05 tokens a pass")

    def test_is_not_judged_where_the_interval_does_not_tell(self):
        found = pairs(plain(), drafting(pace=0.08))
        wide = [
            pair._replace(drafting=replace(pair.drafting, seconds=times * pair.drafting.seconds))
            for pair, times in zip(found, (0.5, 0.8, 1.5), strict=False)
        ]
        assert reasons(wide) == ()


def _told(run: Run, **known: int | None) -> Run:
    return replace(run, replies=tuple(replace(reply, **known) for reply in run.replies))


class TestNoise:
    def test_is_above_the_limit(self):
        assert reasons(pairs(plain(), drafting()), noise=0.21) == (
            "the machine was too noisy: the seconds a token on the same orders varied by 21%, and 15% is the limit",
        )

    def test_is_at_the_limit(self):
        assert reasons(pairs(plain(), drafting()), noise=0.15) == ()

    def test_is_not_known(self):
        assert reasons(pairs(plain(), drafting()), noise=None) == (
            "no two runs did equal work, so how noisy the machine was is not known; measure more repeats",
        )


def around(mean: float):
    """Lengths that vary by a few words around a mean that differs from prompt to prompt."""
    return lambda order, chance: max(1, round(mean * len(order.prompt) + chance.gauss(0, 2)))


class TestLengths:
    def test_follow_another_law(self):
        found = pairs(plain(length=around(10), wanders=True), drafting(length=around(13), wanders=True), prompts=12, max_tokens=900)
        (reason,) = reasons(found)
        assert reason.startswith("the lengths of texts follow another law with a draft than without (p = 0.00")
        assert reason.endswith("texts are 31% longer with a draft than without")

    def test_follow_one_law_though_the_texts_differ(self):
        found = pairs(plain(length=around(10), wanders=True), drafting(length=around(10), wanders=True), prompts=12, max_tokens=900)
        assert not any(pair.same_text for pair in found)
        assert reasons(found) == ()

    def test_differ_by_much_on_too_few_prompts(self):
        found = pairs(plain(length=around(10), wanders=True), drafting(length=around(5), wanders=True), prompts=5, max_tokens=900)
        (reason,) = reasons(found)
        assert reason.startswith("texts are 49% shorter with a draft than without, and those on 5 prompts are too few to tell")

    def test_make_up_for_each_other_on_too_few_prompts(self):
        """One text is cut to a sixth, and another is twice as long."""

        def uneven(order: Order, chance: random.Random) -> int:
            return {0: 4, 1: 48}.get(order.seed, 24)

        found = pairs(plain(length=lambda order, chance: 24), drafting(length=uneven), prompts=8, max_tokens=900)
        (reason,) = reasons(found)
        assert reason == (
            "with a draft some texts are longer, by 12% of all that is written, and others shorter, by 10%, and those on 2 prompts are "
            "too few to tell whether that is chance: it takes 9"
        )

    def test_differ_by_little_on_too_few_prompts(self):
        found = pairs(plain(length=around(50)), drafting(length=around(52)), prompts=5, max_tokens=900)
        assert reasons(found) == ()

    def test_see_texts_that_are_empty_on_one_side(self):
        def often_empty(order: Order, chance: random.Random) -> int:
            return 0 if order.seed % 3 else 20

        found = pairs(plain(), drafting(length=often_empty), prompts=12)
        assert sum(pair.timed for pair in found) == 16
        assert "shorter" in reasons(found)[0]


class TestTheTestOfLengths:
    def law(self, size: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Lengths that grow with the prompt, as long as most are not cut off."""
        return np.minimum(128, rng.geometric(1 / (20 + 8 * np.arange(size[-1])), size=size)).astype(float)

    def share_refused(self, change, prompts: int) -> float:
        rng = np.random.default_rng(4)
        return float(
            np.mean(
                [lengths_p_value(self.law((prompts,), rng), change(self.law((prompts,), rng)), seed=seed) < ALPHA for seed in range(60)]
            )
        )

    @pytest.mark.parametrize("prompts", [TESTABLE, 20])
    def test_refuses_one_law_as_rarely_as_it_says(self, prompts):
        assert self.share_refused(lambda lengths: lengths, prompts) <= 0.05

    def test_sees_texts_that_never_end(self):
        assert self.share_refused(lambda lengths: np.full_like(lengths, 128.0), 20) > 0.9

    def test_sees_texts_that_are_cut_short(self):
        assert self.share_refused(lambda lengths: np.minimum(lengths, 16.0), 20) > 0.9

    def test_sees_lengths_whose_mean_alone_is_right(self):
        rng = np.random.default_rng(5)
        ours, theirs = rng.normal(60, 2, 30).round(), rng.choice([20.0, 100.0], 30)
        assert lengths_p_value(ours, theirs) < ALPHA

    @pytest.mark.parametrize(("prompts", "possible"), [(7, False), (TESTABLE, True)])
    def test_can_refuse_from_that_many_prompts_on(self, prompts, possible):
        longer = lengths_p_value(np.full(prompts, 20.0), np.full(prompts, 30.0))
        assert (longer < ALPHA) == possible

    def test_agrees_with_scipy_on_the_means_where_only_they_differ(self):
        from scipy.stats import permutation_test

        rng = np.random.default_rng(6)
        base = 1000.0 * np.arange(12)
        ours, theirs = base + rng.normal(0, 3, 12), base + rng.normal(2.5, 3, 12)
        exact = permutation_test(
            (ours, theirs), lambda a, b, axis: (a - b).mean(axis=axis), permutation_type="samples", n_resamples=np.inf, vectorized=True
        )
        assert lengths_p_value(ours, theirs) == pytest.approx(exact.pvalue, abs=0.01)
