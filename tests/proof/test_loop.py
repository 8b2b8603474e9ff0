"""The whole decode is exact under every rule: several rounds, every end of text, limits and stops inside a block."""

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

from draftproof.catalogue import CATALOGUE
from draftproof.decode import Decoder
from draftproof.drafters.function import FunctionDrafter
from draftproof.drafters.model import ModelDrafter
from draftproof.draws import Address, Purpose
from draftproof.errors import AddressReused, Untracked
from draftproof.models.table import TableCache, TableModel
from draftproof.proof.fixtures import all_pairs, constant_pair, pairs, row
from draftproof.proof.foreign import explore_merged, explore_program
from draftproof.proof.laws import compare
from draftproof.proof.loop import Engagement, loop_law, plain_law
from draftproof.rules.block import block
from draftproof.rules.match import match
from draftproof.rules.rejection import rejection
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Siblings, Tree
from draftproof.verify import Coupled, Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

EXACT = [entry for entry in CATALOGUE.values() if entry.exact]
TABLES = pairs(10, 3, seed=11)
by_name = pytest.mark.parametrize("entry", EXACT, ids=lambda entry: entry.name)


def distance(decoder, prompt=(0,), *, limits, followed=None, neighbours=()):
    """The total variation between what the decode emits and what the target gives one token at a time."""
    found = loop_law(decoder, prompt, params=Verbatim(), limits=limits, neighbours=neighbours)
    assert sum(found.law.values()) == 1
    gap = compare(found.law, plain_law(followed or decoder.target, prompt, params=Verbatim(), limits=limits))
    return gap.total_variation, found.engagement


def followed_by(entry, target):
    """The model whose law a rule follows: the target, or for greedy the target at temperature 0."""
    return TableModel(entry.law_of_rows(target.table, target.table * 0))


@by_name
@pytest.mark.parametrize("end", [0, 1, 2])
def test_ten_pairs_of_tables_texts_of_1_to_5_tokens_every_token_as_end_of_text(entry, end):
    met = Engagement()
    tree = Tree.chain(2) if entry.siblings is None else Tree((0, 0), entry.siblings)
    for index, (target, draft) in enumerate(TABLES):
        # Texts up to 5 tokens end at every length. Limits below 5 are proved for one end of text a pair, but not on the
        # first pair, in which every path is open: it alone has as many as all the others.
        for length in range(1, 6) if index and index % 3 == end else [5]:
            gap, engagement = distance(
                Decoder(target, ModelDrafter(draft, tree), entry.verification),
                limits=Limits(length, frozenset({end})),
                followed=followed_by(entry, target),
            )
            assert gap == 0, f"pair {index}, up to {length} tokens"
            met.add(engagement)
    assert not met.vacuous
    assert tree.parents == (0, 0) or met.some_kept > 0


@pytest.mark.parametrize("entry", [entry for entry in EXACT if entry.siblings], ids=lambda entry: entry.name)
@pytest.mark.parametrize("parents", [(0, 1), (0, 0, 1)], ids=["chain", "tree"])
def test_rules_of_trees_on_chains_and_on_trees_of_two_levels(entry, parents):
    met = Engagement()
    for index, (target, draft) in enumerate(TABLES[1:5]):
        limits = Limits(4 if len(parents) == 2 else 3, frozenset({index % 3}))
        decoder = Decoder(target, ModelDrafter(draft, Tree(parents, entry.siblings)), entry.verification)
        gap, engagement = distance(decoder, limits=limits, followed=followed_by(entry, target))
        assert gap == 0, f"pair {index}"
        met.add(engagement)
    assert not met.vacuous
    assert met.some_kept > 0


@pytest.mark.parametrize("width", [1, 2])
def test_coupled_on_every_pair_of_laws_with_small_denominators(width):
    """The other exact rules are enumerated in test_rule.py; this one is not a law given its draft, so the loop is run."""
    met = Engagement()
    for target, draft in [*all_pairs(2, 6), *all_pairs(3, 3)]:
        gap, engagement = distance(Decoder(target, ModelDrafter(draft, Tree.chain(width)), Coupled()), limits=Limits(width + 1))
        assert gap == 0
        met.add(engagement)
    assert not met.vacuous


@by_name
def test_stop_sequences_inside_and_across_rounds(entry):
    target, draft = TABLES[3]
    tree = Tree(tuple(range(2)), entry.siblings or Siblings.DISTINCT)
    for stop in [((1,),), ((0, 1),), ((2, 2), (1, 0, 1))]:
        gap, _ = distance(
            Decoder(target, ModelDrafter(draft, tree), entry.verification), limits=Limits(4, stop=stop), followed=followed_by(entry, target)
        )
        assert gap == 0


@by_name
def test_a_ragged_batch_does_not_move_the_law_of_a_row(entry):
    """Rows draft 0, 1 or 2 tokens by the length of their context, and so do their neighbours."""
    target, draft = TABLES[0]
    tree = Tree(tuple(range(2)), entry.siblings or Siblings.DISTINCT)
    drafter = ModelDrafter(draft, tree, depth=lambda request: len(request.context) % 3)
    gap, engagement = distance(
        Decoder(target, drafter, entry.verification),
        (0, 2),
        limits=Limits(3),
        followed=followed_by(entry, target),
        neighbours=[((2,), 5), ((1, 0, 2), 6)],
    )
    assert gap == 0
    assert engagement.rounds > 1


@pytest.mark.parametrize("name", ["point_mass", "match", "greedy", "coupled"])
@pytest.mark.parametrize("proposal", [(), (0,), (2, 2, 2, 2, 2), (1, 0)], ids=str)
def test_rules_without_q_take_any_proposal_even_one_beyond_the_limit(name, proposal):
    entry, (target, _) = CATALOGUE[name], TABLES[5]
    decoder = Decoder(target, FunctionDrafter(lambda context: proposal, 3), entry.verification)
    for length in (1, 3):
        gap, _ = distance(decoder, limits=Limits(length, frozenset({2})), followed=followed_by(entry, target))
        assert gap == 0


def test_plain_decoding_is_the_decode_without_a_draft():
    target, _ = TABLES[0]
    nothing = FunctionDrafter(lambda context: (), 3)
    for verification in (Independent(rejection), Coupled()):
        gap, engagement = distance(Decoder(target, nothing, verification), limits=Limits(3))
        assert gap == 0
        assert engagement.vacuous


# ---------------------------------------------------------------- the proof must fail for wrong loops


@dataclass(frozen=True)
class KeepsRefusedTokens(TableModel):
    """A target whose cache is rolled back wrongly: after a refusal the refused token stands where the last kept one should."""

    def start(self):
        return SloppyCache([])


class SloppyCache(TableCache):
    def keep(self, start, offsets):
        fed = len(self.tokens) - start
        super().keep(start, [*offsets[:-1], len(offsets)] if len(offsets) < fed else offsets)


class OneNumber(Independent):
    """The token after a refusal is drawn with the number that decided the refusal."""

    def verdict(self, target_probs, draft, draws, round_starts):
        class Reusing:
            def __init__(self, own):
                self.own = own

            def pick(self, weights, at):
                return self.own.pick(weights, Address(at.round_start, 0, Purpose.KEPT))

        return super().verdict(target_probs, draft, [Reusing(own) for own in draws], round_starts)


class DraftNumberAgain(Independent):
    """The number that drew the first drafted token also decides how much is kept."""

    def pick_draft(self, draws, law, *, round_start, node, depth):
        return draws.pick(law, Address(round_start, 0, Purpose.KEPT) if node == 1 else Address(round_start, node, Purpose.DRAFT))


class ByPosition(Independent):
    """Draft numbers are addressed by position alone, so that a position drafted again meets the same number."""

    def pick_draft(self, draws, law, *, round_start, node, depth):
        return draws.pick(law, Address(round_start + depth, 0, Purpose.DRAFT))


F2 = constant_pair(row(50, 30, 20), row(20, 10, 70))


def test_a_cache_that_keeps_a_refused_token_in_place_of_a_kept_one_is_caught_from_the_second_round_on():
    target, draft = TABLES[0]
    sloppy = KeepsRefusedTokens(target.table)
    decoder = Decoder(sloppy, ModelDrafter(draft, Tree.chain(2)), Independent(rejection))
    one, _ = distance(decoder, limits=Limits(1), followed=target)
    several, _ = distance(decoder, limits=Limits(4), followed=target)
    assert one == 0
    assert several > Fraction(1, 100)


def test_one_number_for_refusal_and_recovery_is_seen_where_the_residual_has_several_tokens():
    """Faults of shared numbers are invisible to an enumeration that takes every draw as fresh; intervals show them."""
    target, draft = F2
    gap, _ = distance(Decoder(target, ModelDrafter(draft, Tree.chain(1)), OneNumber(rejection)), limits=Limits(1))
    assert gap > Fraction(1, 50)


def test_one_number_for_draft_and_refusal_is_seen():
    target, draft = F2
    gap, _ = distance(Decoder(target, ModelDrafter(draft, Tree.chain(1)), DraftNumberAgain(rejection)), limits=Limits(1))
    assert gap > Fraction(1, 50)


@pytest.mark.parametrize(("rule", "biased"), [(rejection, False), (block, True)], ids=["rejection", "block"])
def test_a_number_addressed_by_position_alone_is_harmless_for_rejection_and_biases_block(rule, biased):
    target, draft = TABLES[0]
    gap, _ = distance(Decoder(target, ModelDrafter(draft, Tree.chain(2)), ByPosition(rule)), limits=Limits(3))
    assert (gap > 0) == biased


class OldNumbers(Independent):
    """Draft numbers belong to the round before."""

    def pick_draft(self, draws, law, *, round_start, node, depth):
        return draws.pick(law, Address(round_start - 1, node, Purpose.DRAFT))


def test_a_number_of_a_finished_round_is_refused_so_that_merging_states_can_hide_no_reuse():
    target, draft = TABLES[0]
    decoder = Decoder(target, ModelDrafter(draft, Tree.chain(1)), OldNumbers(rejection))
    with pytest.raises(AddressReused, match="was settled before and is not fresh"):
        loop_law(decoder, [0], params=Verbatim(), limits=Limits(3))


class CoupledWithFreshTargetNoise(Coupled):
    """The draft races on the noise of its own slot, not of its position."""

    def pick_draft(self, draws, law, *, round_start, node, depth):
        return draws.race(law, round_start)


def test_coupled_is_exact_for_drafts_of_any_noise_but_keeps_less():
    target, draft = TABLES[0]
    shared, met_shared = distance(Decoder(target, ModelDrafter(draft, Tree.chain(2)), Coupled()), limits=Limits(3))
    other, met_other = distance(Decoder(target, ModelDrafter(draft, Tree.chain(2)), CoupledWithFreshTargetNoise()), limits=Limits(3))
    assert shared == other == 0
    assert not met_shared.vacuous
    assert not met_other.vacuous


def test_a_draft_of_another_vocabulary_is_refused():
    target, _ = TABLES[0]
    with pytest.raises(ValueError, match="over a vocabulary of 4; the target has 1 sessions and a vocabulary of 3"):
        loop_law(Decoder(target, FunctionDrafter(lambda c: (0,), 4), Independent(match)), [0], params=Verbatim(), limits=Limits(2))


def test_float_tables_are_proved_to_the_rounding_of_the_rule():
    target, draft = (TableModel(model.table.astype(np.float64)) for model in TABLES[0])
    gap, _ = distance(Decoder(target, ModelDrafter(draft, Tree.chain(2)), Independent(rejection)), limits=Limits(3))
    assert 0 < gap < Fraction(1, 10**14)


# ---------------------------------------------------------------- the loop as a program like any other


class Dice:
    """The door for randomness as anybody would write it, with nothing proved about it."""

    def __init__(self):
        self.noise = {}

    def pick(self, weights, at):
        u, total = random.random(), sum(weights)
        return next(place for place, edge in enumerate(accumulate(weights)) if u * total < edge)

    def race(self, weights, position):
        noise = self.noise.setdefault(position, np.random.exponential(size=len(weights)))
        return int((weights / noise).argmax())


def decoded(decoder, limits, boundary=lambda key: None):
    """A text, from randomness that nobody controls."""
    session = decoder.open([0], params=Verbatim(), limits=limits, draws=Dice())
    while session.finish is None:
        boundary(tuple(session.context))
        decoder.step([session])
    return tuple(session.emitted)


((SMALL_TARGET, SMALL_DRAFT),) = pairs(1, 2, seed=11)
VERIFICATIONS = {"rejection": Independent(rejection), "block": Independent(block), "coupled": Coupled()}


@pytest.mark.parametrize("verification", VERIFICATIONS.values(), ids=VERIFICATIONS.keys())
def test_the_loop_explored_as_a_program_has_the_same_law_as_fractions_and_the_same_paths(verification):
    decoder = Decoder(SMALL_TARGET, ModelDrafter(SMALL_DRAFT, Tree.chain(2)), verification)
    found = loop_law(decoder, [0], params=Verbatim(), limits=Limits(3))
    program = explore_program(lambda: decoded(decoder, Limits(3)))
    assert program.law == found.law
    assert program.progress.paths == found.engagement.paths > 2**3
    assert not found.engagement.vacuous


def test_so_has_a_wrong_loop():
    decoder = Decoder(KeepsRefusedTokens(SMALL_TARGET.table), ModelDrafter(SMALL_DRAFT, Tree.chain(2)), Independent(rejection))
    found = loop_law(decoder, [0], params=Verbatim(), limits=Limits(4))
    assert explore_program(lambda: decoded(decoder, Limits(4))).law == found.law
    assert found.law != plain_law(SMALL_TARGET, [0], params=Verbatim(), limits=Limits(4))


def test_merged_at_its_rounds_it_has_the_same_law_from_fewer_runs_and_noise_that_rounds_share_is_refused():
    independent, coupled = (
        Decoder(SMALL_TARGET, ModelDrafter(SMALL_DRAFT, Tree.chain(2)), how) for how in (Independent(rejection), Coupled())
    )
    found = explore_merged(lambda boundary: decoded(independent, Limits(4), boundary))
    assert found.law == loop_law(independent, [0], params=Verbatim(), limits=Limits(4)).law
    assert found.progress.replays < found.progress.paths
    with pytest.raises(Untracked, match="a random number outlives its round"):
        explore_merged(lambda boundary: decoded(coupled, Limits(3), boundary))
