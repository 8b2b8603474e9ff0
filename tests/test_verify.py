"""How a round is settled: which numbers it reads, and that it reads the same ones on every carrier and in every batch."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from draftproof.catalogue import CATALOGUE
from draftproof.draws import Address, Draws, Purpose, SeededDraws
from draftproof.errors import AddressReused
from draftproof.rules.match import match
from draftproof.rules.rejection import rejection
from draftproof.tree import Tree
from draftproof.types import Draft, VerdictLaw
from draftproof.verify import Coupled, Independent, Verification

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


class Recorder:
    """Draws that write down what they are asked, and give the answers they are told."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def pick(self, weights, at):
        self.asked.append((at, weights.tolist()))
        return self.answers.pop(0)

    def race(self, weights, position):
        self.asked.append((position, weights.tolist()))
        return self.answers.pop(0)


def test_the_recorder_is_a_door_for_randomness():
    assert isinstance(Recorder(), Draws)


@pytest.mark.parametrize("verification", [Independent(rejection), Coupled()])
def test_both_are_ways_to_settle_a_round(verification):
    assert isinstance(verification, Verification)


class TestIndependent:
    TARGET = np.array([[[HALF, HALF], [QUARTER, 3 * QUARTER], [1, 0]]] * 2, object)

    def test_makes_two_draws_a_row_at_their_own_addresses_whatever_the_width(self):
        draft = Draft.fixed([[0, 1], [1]], vocab=2)
        draws = [Recorder(1, 0), Recorder(0, 1)]
        verdict = Independent(match).verdict(self.TARGET, draft, draws, [7, 30])
        assert (verdict.kept.tolist(), verdict.token.tolist()) == ([1, 0], [0, 1])
        assert [[at for at, _ in own.asked] for own in draws] == [
            [Address(7, 0, Purpose.KEPT), Address(7, 0, Purpose.TOKEN)],
            [Address(30, 0, Purpose.KEPT), Address(30, 0, Purpose.TOKEN)],
        ]

    def test_makes_two_draws_for_a_draft_of_nothing(self):
        draws = Recorder(0, 1)
        verdict = Independent(match).verdict(self.TARGET[:1, :1], Draft.none(1, vocab=2), [draws], [1])
        assert draws.asked == [(Address(1, 0, Purpose.KEPT), [1]), (Address(1, 0, Purpose.TOKEN), [HALF, HALF])]
        assert (verdict.kept.tolist(), verdict.token.tolist()) == ([0], [1])

    def test_draws_the_token_from_the_law_after_what_was_kept(self):
        draws = [Recorder(2, 0), Recorder(0, 1)]
        Independent(match).verdict(self.TARGET, Draft.fixed([[0, 1], [0, 1]], vocab=2), draws, [5, 5])
        kept = [HALF, HALF * QUARTER, HALF * 3 * QUARTER]
        assert [[weights for _, weights in own.asked] for own in draws] == [[kept, [1, 0]], [kept, [0, 1]]]

    def test_asks_the_rule_once_for_the_whole_batch(self):
        calls = []

        def rule(target_probs, draft):
            calls.append(target_probs.shape)
            return VerdictLaw(target_probs[:, :, 0], lambda kept: target_probs[:, 0])

        Independent(rule).verdict(self.TARGET, Draft.fixed([[0, 1]] * 2, vocab=2), [Recorder(0, 0), Recorder(0, 0)], [5, 5])
        assert calls == [(2, 3, 2)]

    def test_draws_each_drafted_token_at_the_address_of_its_node(self):
        draws = Recorder(1)
        law = np.array([0.25, 0.75])
        assert Independent(rejection).pick_draft(draws, law, round_start=9, node=3, depth=2) == 1
        assert draws.asked == [(Address(9, 3, Purpose.DRAFT), [0.25, 0.75])]

    def test_settles_no_round_twice(self):
        draws, draft = [SeededDraws(0)], Draft.fixed([[0, 1]], vocab=2)
        Independent(match).verdict(self.TARGET[:1], draft, draws, [5])
        with pytest.raises(AddressReused):
            Independent(match).verdict(self.TARGET[:1], draft, draws, [5])

    @pytest.mark.parametrize(("draws", "starts"), [(1, 2), (2, 1)])
    def test_refuses_a_batch_of_another_size_than_its_draws(self, draws, starts):
        draft = Draft.fixed([[0], [1]], vocab=2, tree=Tree.chain(2))
        with pytest.raises(ValueError, match="zip"):
            Independent(match).verdict(self.TARGET, draft, [Recorder(0, 0)] * draws, [5] * starts)


class TestCoupled:
    TARGET = np.arange(16.0).reshape(2, 4, 2)
    DRAFT = Draft.fixed([[0, 1, 1], [0, 0, 1]], vocab=2, tree=Tree((0, 0, 1)))

    def test_reads_one_race_a_visited_node_at_its_absolute_position(self):
        draws = [Recorder(0, 1, 0), Recorder(1)]
        verdict = Coupled().verdict(self.TARGET, self.DRAFT, draws, [7, 30])
        assert (verdict.kept.tolist(), verdict.token.tolist()) == ([3, 0], [0, 1])
        assert draws[0].asked == [(7, [0.0, 1.0]), (8, [2.0, 3.0]), (9, [6.0, 7.0])]
        assert draws[1].asked == [(30, [8.0, 9.0])]

    def test_draws_a_drafted_token_in_the_race_of_its_own_position(self):
        for depth, position in ((1, 9), (2, 10), (3, 11)):
            draws = Recorder(1)
            assert Coupled().pick_draft(draws, np.array([0.5, 0.5]), round_start=9, node=5, depth=depth) == 1
            assert draws.asked == [(position, [0.5, 0.5])]

    def test_gives_draft_and_target_one_token_where_their_laws_are_equal(self):
        law = np.random.default_rng(0).dirichlet(np.ones(9))
        for seed in range(50):
            draws = SeededDraws(seed)
            drafted = Coupled().pick_draft(draws, law, round_start=4, node=1, depth=1)
            verdict = Coupled().verdict(np.stack([law, law])[None], Draft.fixed([[drafted]], vocab=9), [draws], [4])
            assert verdict.kept.tolist() == [1]

    def test_may_settle_a_round_again(self):
        draws, target = [SeededDraws(3)], self.TARGET[:1] + 1
        verdicts = [Coupled().verdict(target, self.DRAFT.take([0]), draws, [4]) for _ in range(2)]
        assert verdicts[0].token.tolist() == verdicts[1].token.tolist()


VOCAB, BATCH = 32_000, 8
ARRAYS = {
    "float64": np.array,
    "float32": lambda rows: np.array(rows, np.float32),
    "torch64": torch.tensor,
    "torch32": lambda rows: torch.tensor(rows, dtype=torch.float32),
}


def random_rows(nodes, *, seed):
    """(batch, nodes, vocab) laws of target and draft, from flat ones in the first row to peaked ones in the last."""
    random = np.random.default_rng(seed)
    common, *own = (random.normal(size=(BATCH, nodes, VOCAB)) for _ in range(3))
    sharpness = np.linspace(0.5, 8, BATCH)[:, None, None]
    weights = [np.exp(sharpness * (common + 0.3 * noise)) for noise in own]
    return [weight / weight.sum(-1, keepdims=True) for weight in weights]


def drawn(verification, tree, laws, rows):
    """A draft of some rows of the batch, drawn with the numbers of each row's own seed."""
    draws = [SeededDraws(row) for row in rows]

    def pick(laws, node, depth, live):
        chosen = [verification.pick_draft(own, law, round_start=10, node=node, depth=depth) for own, law in zip(draws, laws, strict=True)]
        return np.array(chosen)

    return Draft.sample(lambda tokens, node: laws[rows, node], tree, pick), draws


def shape(entry):
    return Tree((0, 0, 1, 1), entry.siblings) if entry.siblings else Tree.chain(3)


@pytest.mark.parametrize("entry", [entry for entry in CATALOGUE.values() if entry.exact], ids=lambda entry: entry.name)
def test_the_tokens_are_the_same_on_every_carrier_and_in_any_batch(entry):
    """At a real vocabulary: under the same draws every carrier drafts, keeps and emits the same, and a row does not see its batch."""
    tree = shape(entry)
    laws = random_rows(tree.width + 1, seed=1)
    everyone = list(range(BATCH))

    def one_round(target, draft_laws, rows):
        draft, draws = drawn(entry.verification, tree, draft_laws, rows)
        verdict = entry.verification.verdict(target[rows], draft, draws, [10] * len(rows))
        return np.column_stack([draft.tokens, *verdict]).tolist()

    found = {}
    for name, array in ARRAYS.items():
        target, draft_laws = map(array, laws)
        found[name] = one_round(target, draft_laws, everyone)
        alone = [one_round(target, draft_laws, [row])[0] for row in everyone]
        assert alone == found[name], f"{name}: a row differs from its batch of one"
    assert all(tokens == found["float64"] for tokens in found.values())
    kept = [node for *_, node, _ in found["float64"]]
    assert 0 < sum(node > 0 for node in kept) < BATCH, "some rows keep a token and some keep none"


@pytest.mark.parametrize(
    "entry", [entry for entry in CATALOGUE.values() if isinstance(entry.verification, Independent)], ids=lambda entry: entry.name
)
@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS.keys())
def test_the_law_of_a_row_is_to_the_last_bit_that_of_its_batch_of_one(entry, array):
    tree = shape(entry)
    target, draft_laws = map(array, random_rows(tree.width + 1, seed=2))

    def law(rows):
        found = entry.verification.rule(target[rows], drawn(entry.verification, tree, draft_laws, rows)[0])
        return found.kept, *(found.correction(np.full(len(rows), node)) for node in range(tree.width + 1))

    together = law(list(range(BATCH)))
    for row in range(BATCH):
        for alone, beside in zip(law([row]), together, strict=True):
            assert (alone[0] == beside[row]).all()
