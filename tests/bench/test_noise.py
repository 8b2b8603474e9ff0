"""The noise of the machine: of equal work alone."""

import pytest

from draftproof.bench.noise import noise, noise_of_pairs
from draftproof.bench.pairs import Pair, paired

from .scripted import Scripted, drafting, plain, runs


def test_is_the_deviation_that_is_there():
    found = noise(runs(plain(noise=0.08), drafting(noise=0.08), prompts=40, repeats=10))
    assert found == pytest.approx(0.083, rel=0.1), "exp(0.08) - 1"


def test_of_a_machine_without_noise_is_none():
    assert noise(runs(plain(), repeats=2)) == pytest.approx(0.0)


def test_is_not_what_prompts_differ_by():
    assert noise(runs(plain(length=lambda order, chance: len(order.prompt)), repeats=2)) == pytest.approx(0.0)


def test_is_not_what_the_texts_of_a_drafting_engine_differ_by():
    lengths = {"length": lambda order, chance: chance.randint(5, 20), "wanders": True}
    assert noise(runs(drafting(**lengths), prompts=20)) is None, "each text is other work"
    assert noise(runs(plain(**lengths), prompts=20)) == pytest.approx(0.0), "without a draft, work is equal if the length is"


def test_of_one_repeat_is_not_known():
    assert noise(runs(plain(noise=0.1), repeats=1)) is None


def test_shows_one_stall_among_many_runs():
    found = runs(plain(), prompts=5, repeats=4)
    assert noise([*found[:-1], runs(plain(stall=10.0), prompts=5, repeats=4)[-1]]) > 0.15


class TestOfPairs:
    def pairs(self, *contenders: Scripted, **known: object) -> list[Pair]:
        found = runs(*contenders, **known)
        return list(paired([run for run in found if run.drafts], [run for run in found if not run.drafts]))

    @pytest.mark.parametrize(("with_draft", "without"), [(0.08, 0.0), (0.0, 0.08), (0.08, 0.04)])
    def test_is_that_of_the_noisier_side(self, with_draft, without):
        found = noise_of_pairs(self.pairs(plain(noise=without), drafting(noise=with_draft), prompts=40, repeats=10))
        assert found == pytest.approx(0.083, rel=0.1), "exp(0.08) - 1"

    def test_of_the_same_texts_is_that_of_equal_work(self):
        found = self.pairs(plain(), drafting(noise=0.05))
        assert noise_of_pairs(found) == pytest.approx(noise(pair.drafting for pair in found))

    def test_of_other_texts_is_seen_by_the_token(self):
        assert noise_of_pairs(self.pairs(plain(), drafting(noise=0.3, wanders=True))) > 0.2

    def test_of_other_texts_is_rather_too_large(self):
        lengths = {"length": lambda order, chance: chance.randint(5, 20), "wanders": True}
        assert noise_of_pairs(self.pairs(plain(**lengths), drafting(**lengths))) > 0.02

    def test_is_not_known_where_orders_were_served_once(self):
        assert noise_of_pairs(self.pairs(plain(), drafting(), repeats=1)) is None
        assert noise_of_pairs([]) is None
