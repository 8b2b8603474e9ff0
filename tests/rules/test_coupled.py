"""Shared noise: the target's own token is emitted whatever was drafted, and a draft is kept while it equals it."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from draftproof.decode import Decoder
from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.drafters.model import ModelDrafter
from draftproof.draws import SeededDraws
from draftproof.models.table import TableModel
from draftproof.proof.fixtures import row
from draftproof.proof.noise import run_race, whole
from draftproof.rules.bounds import coupled_overlap
from draftproof.rules.coupled import coupled
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft
from draftproof.verify import Coupled

P, Q = row(50, 30, 20), row(20, 50, 30)
"""Target and draft of the reference numbers."""


def chosen(*tokens):
    """The target's choice after node n is the n-th token, in every row."""
    return lambda row, node: tokens[node]


def settle(choose, draft):
    verdict = coupled(choose, draft)
    return verdict.kept.tolist(), verdict.token.tolist()


class TestTheRule:
    @pytest.mark.parametrize(
        ("choices", "kept", "token"),
        [((2, 1, 0), 0, 2), ((0, 2, 0), 1, 2), ((0, 1, 2), 2, 2), ((0, 1, 0), 2, 0)],
        ids=["none", "one", "all", "all and one more"],
    )
    def test_follows_the_targets_choices_down_a_chain(self, choices, kept, token):
        assert settle(chosen(*choices), Draft.fixed([[0, 1]], vocab=3)) == ([kept], [token])

    def test_turns_to_the_child_that_holds_the_choice(self):
        draft = Draft.fixed([[0, 1, 2, 0]], vocab=3, tree=Tree((0, 0, 2, 2)))
        assert settle(chosen(1, None, 0, None, 2), draft) == ([4], [2])

    def test_takes_the_elder_of_two_equal_children(self):
        draft = Draft.fixed([[1, 1, 2]], vocab=3, tree=Tree((0, 0, 2)))
        assert settle(chosen(1, 0, 2, 0), draft) == ([1], [0])

    def test_asks_for_no_choice_after_a_node_it_does_not_reach(self):
        asked = []

        def choose(row, node):
            asked.append((row, node))
            return 0

        coupled(choose, Draft.fixed([[1, 0], [0, 1]], vocab=2))
        assert asked == [(0, 0), (1, 0), (1, 1)]

    def test_of_a_draft_of_nothing_emits_the_first_choice(self):
        assert settle(chosen(2), Draft.none(2, vocab=3)) == ([0, 0], [2, 2])

    def test_does_not_take_an_absent_node_for_a_choice(self):
        draft = Draft.fixed([[NOTHING, 1], [0]], vocab=3, tree=Tree((0, 0)))
        assert settle(chosen(1, 0, 0), draft) == ([2, 0], [0, 1])


def top_n_kept(p, q, count):
    """How often the target's winner is among the `count` first of the draft, exactly, by cutting the directions of the noise."""

    def beyond(region, left, drawn):
        if len(drawn) == count or not any(left):
            return sum((simplex.share for token in drawn for simplex in run_race(region, p)[token]), Fraction(0))
        parts = enumerate(run_race(region, left))
        return sum(
            beyond(part, tuple(0 * q if t == token else q for t, q in enumerate(left)), [*drawn, token]) for token, part in parts if part
        )

    return beyond(whole(len(p)), q, [])


class TestKept:
    def test_of_one_candidate_is_43_in_62(self):
        assert top_n_kept(P, Q, 1) == coupled_overlap(np.array(P, object), np.array(Q, object)) == Fraction(43, 62)

    @pytest.mark.parametrize(("p", "q"), list(product([P, Q, row(100, 0, 0), row(0, 40, 60), row(25, 25, 50)], repeat=2)))
    def test_of_one_candidate_is_what_the_formula_says(self, p, q):
        assert top_n_kept(p, q, 1) == coupled_overlap(np.array(p, object), np.array(q, object))

    def test_of_two_candidates(self):
        kept = top_n_kept(P, Q, 2)
        assert kept == Fraction(10627, 12090)
        assert abs(kept - Fraction("0.879")) < Fraction("0.002"), "the figure that sampling gave"

    def test_of_three_candidates_of_three_is_all(self):
        assert top_n_kept(P, Q, 3) == 1

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_in_production_is_as_often_in_2000_seeds(self, count):
        seeds, tree, rule = 2000, Tree((0,) * count), Coupled()
        draws = [SeededDraws(seed) for seed in range(seeds)]

        def pick(laws, node, depth, live):
            return np.array(
                [rule.pick_draft(own, law, round_start=5, node=node, depth=depth) for own, law in zip(draws, laws, strict=True)]
            )

        draft = Draft.sample(lambda tokens, node: np.tile(np.array(Q, float), (seeds, 1)), tree, pick)
        verdict = rule.verdict(np.tile(np.array(P, float), (seeds, count + 1, 1)), draft, draws, [5] * seeds)
        expected = float(top_n_kept(P, Q, count))
        assert abs((verdict.kept > 0).mean() - expected) <= 4 * (expected * (1 - expected) / seeds) ** 0.5
        emitted = np.where(verdict.kept > 0, draft.tokens[np.arange(seeds), verdict.kept - 1], verdict.token)
        shares = np.bincount(emitted, minlength=3) / seeds
        assert (abs(shares - np.array(P, float)) <= 4 * (np.array(P, float) / seeds) ** 0.5).all()


class TestOneNoiseVectorACandidate:
    """The list matching of Rowan et al. (arXiv 2506.05632), a yardstick: shared noise keeps more."""

    @staticmethod
    def bound(count):
        """sum over j of n / (sum over i of max(q_i / q_j, p_i / p_j) + (n - 1) / p_j)."""
        return sum(count / (sum(max(Q[i] / Q[j], P[i] / P[j]) for i in range(3)) + (count - 1) / P[j]) for j in range(3))

    @pytest.mark.parametrize(("count", "bound", "kept"), [(1, 0.693548, 0.6935), (2, 0.782436, 0.8005), (3, 0.831136, 0.864)])
    def test_keeps_at_least_its_bound_and_less_than_shared_noise(self, count, bound, kept):
        assert round(float(self.bound(count)), 6) == bound
        samples = 200_000
        noise = np.random.default_rng(count).exponential(size=(samples, count, 3))
        drafted = (noise / np.array(Q, float)).argmin(-1)
        target = (noise.min(1) / np.array(P, float)).argmin(-1)
        found = (drafted == target[:, None]).any(1).mean()
        error = (kept * (1 - kept) / samples) ** 0.5
        assert found >= bound - 4 * error
        assert abs(found - kept) <= 4 * error + 0.001
        assert count == 1 or found < float(top_n_kept(P, Q, count)) - 4 * error


class RememberedDraws(SeededDraws):
    """The same numbers, each row of noise made once for all the decodes of a seed."""

    @staticmethod
    @cache
    def _row(seed, position, vocab):
        return SeededDraws(seed).noise(position, vocab)

    def noise(self, position, vocab):
        return self._row(self.seed, position, vocab)


def table(seed):
    """A model of four tokens whose law depends on the last two, with a few zeros."""
    weights = np.random.default_rng(seed).exponential(size=(4, 4, 4)) ** 2
    weights[weights < 0.02] = 0
    return TableModel(weights / weights.sum(-1, keepdims=True))


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked_shapes")
class TestTheTextForASeed:
    """Ten thousand whole decodes, each with no drafter, good ones, bad ones, and drafts of any width and shape."""

    SEEDS, TOGETHER = 10_000, 1000
    TARGET = table(0)
    GOOD = TableModel((5 * TARGET.table + table(1).table) / 6)
    BAD = table(2)
    DRAFTERS = {
        "good, of widths 0 to 3": ModelDrafter(
            GOOD, Tree.chain(3), depth=lambda request: (len(request.context) + request.context[-1] + 2) % 4
        ),
        "bad, a chain": ModelDrafter(BAD, Tree.chain(2)),
        "bad, a tree of depths 0 to 2": ModelDrafter(
            BAD, Tree((0, 0, 1, 2), Siblings.DISTINCT), depth=lambda request: (1 + sum(request.context)) % 3
        ),
        "a guess that never changes": FunctionDrafter(lambda context: (1, 0), 4),
    }

    def texts(self, drafter, seeds):
        decoder = Decoder(self.TARGET, drafter, Coupled())
        limits = Limits(6, end_tokens=frozenset({3}))
        sessions = [decoder.open([1, 2], params=Verbatim(), limits=limits, draws=RememberedDraws(seed)) for seed in seeds]
        steps = [step for steps in decoder.generate(sessions) for _, step in steps]
        return [tuple(session.emitted) for session in sessions], steps

    def test_is_the_same_with_any_drafter_any_width_or_none(self):
        texts, met = set(), {name: [] for name in self.DRAFTERS}
        for start in range(0, self.SEEDS, self.TOGETHER):
            seeds = range(start, start + self.TOGETHER)
            plain, _ = self.texts(no_drafter(4), seeds)
            texts.update(plain)
            for name, drafter in self.DRAFTERS.items():
                found, steps = self.texts(drafter, seeds)
                assert found == plain, name
                met[name] += steps
            RememberedDraws._row.cache_clear()
        assert len(texts) > 150
        assert max(map(len, texts)) == 6
        for steps in met.values():
            assert sum(step.drafted for step in steps) > self.SEEDS
            assert sum(step.refused for step in steps) > self.SEEDS / 10
            assert sum(step.accepted > 0 and not step.refused for step in steps) > self.SEEDS / 10
            assert len(steps) > 1.5 * self.SEEDS, "more than one round"
        accepted = {name: sum(step.accepted for step in steps) / sum(step.drafted for step in steps) for name, steps in met.items()}
        assert accepted["good, of widths 0 to 3"] > accepted["bad, a chain"] + 0.1
