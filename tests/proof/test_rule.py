"""One round of every rule is exact: complete enumeration of small laws, and random tables of every kind."""

import pytest

from draftproof.carriers import pick_row
from draftproof.catalogue import CATALOGUE, Entry, target_law
from draftproof.errors import Unsupported
from draftproof.proof.fixtures import all_pairs, all_rows, pairs
from draftproof.proof.rule import fixed_round_law, round_law
from draftproof.rules.match import match
from draftproof.rules.rejection import rejection
from draftproof.tree import Tree
from draftproof.types import VerdictLaw
from draftproof.verify import Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

LAWS = [entry for entry in CATALOGUE.values() if isinstance(entry.verification, Independent)]
EXACT = [entry for entry in LAWS if entry.exact]
LOSSY = [entry for entry in LAWS if not entry.exact]
by_name = pytest.mark.parametrize("entry", LAWS, ids=lambda entry: entry.name)

# How many random pairs of tables of each (vocabulary, K): 2,000 in all, most of them where a proof is cheap.
SIZES = {
    (2, 1): 350, (2, 2): 400, (2, 3): 250, (2, 4): 150, (3, 1): 350, (3, 2): 250, (3, 3): 60, (3, 4): 4,
    (4, 1): 100, (4, 2): 50, (4, 3): 4, (4, 4): 1, (5, 1): 24, (5, 2): 5, (5, 3): 1, (5, 4): 1,
}  # fmt: skip


def chain(entry: Entry, width: int) -> Tree:
    """A chain that the rule accepts."""
    return Tree(tuple(range(width)), entry.siblings) if entry.siblings else Tree.chain(width)


def shapes(entry: Entry, width: int) -> list[Tree]:
    """Shapes of `width` tokens: a chain for rules of chains; for rules of trees, siblings and, if they have room, a chain below.

    That the rules of trees are `rejection` or `block` on a chain is shown for each in tests/rules.
    """
    if entry.siblings is None or width == 1:
        return [chain(entry, width)]
    return [Tree((0,) * width, entry.siblings)] + [Tree((0, 0, 1, 2)[:width], entry.siblings)] * (width > 2)


def test_the_enumerated_rows_are_all_there_are():
    assert len(all_rows(2, 6)) == 13
    assert len(all_rows(3, 6)) == 55
    assert all(sum(law) == 1 for law in all_rows(3, 6))


@pytest.mark.parametrize("vocab", [2, 3])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("entry", EXACT, ids=lambda entry: entry.name)
def test_every_pair_of_laws_with_denominators_up_to_6(entry, width, vocab):
    everything = all_pairs(vocab, 6)
    for tree in shapes(entry, width):
        found = round_law(entry.verification.rule, everything, tree, follows=entry.law_of_rows)
        assert not found.distances.any()
        assert not found.vacuous
        assert found.some_kept > 0 or width == 1 or len(tree.children[0]) > 1


@pytest.mark.parametrize("entry", EXACT, ids=lambda entry: entry.name)
def test_two_thousand_random_pairs_of_tables(entry):
    assert sum(SIZES.values()) == 2000
    prove_pairs(entry, SIZES)


@pytest.mark.parametrize("entry", LOSSY, ids=lambda entry: entry.name)
def test_lossy_rules_follow_the_law_they_declare_on_two_hundred_pairs(entry):
    prove_pairs(entry, {(2, 1): 50, (2, 2): 50, (2, 3): 20, (3, 1): 50, (3, 2): 20, (4, 2): 10})


def prove_pairs(entry: Entry, sizes: dict[tuple[int, int], int]) -> None:
    """The rule follows its law on random pairs of these sizes, and drafts were refused, kept in part and kept whole."""
    none_kept = some_kept = all_kept = 0
    for (vocab, width), count in sizes.items():
        tables = pairs(count, vocab, seed=100 * vocab + width)
        tree = shapes(entry, width)[-1]
        found = round_law(entry.verification.rule, tables, tree, follows=entry.law_of_rows)
        assert not found.distances.any(), found.counterexample(tree)
        none_kept, some_kept, all_kept = none_kept + found.none_kept, some_kept + found.some_kept, all_kept + found.all_kept
    assert min(none_kept, some_kept, all_kept) > 50


@pytest.mark.parametrize("entry", [entry for entry in EXACT if not entry.needs_draft_law], ids=lambda entry: entry.name)
def test_rules_without_q_are_exact_given_any_draft_at_all(entry):
    for vocab, width in [(2, 3), (3, 2)]:
        for tree in shapes(entry, width):
            found = fixed_round_law(entry.verification.rule, pairs(40, vocab, seed=7), tree, follows=entry.law_of_rows)
            assert not found.distances.any()
            assert not found.vacuous


@pytest.mark.parametrize("entry", LOSSY, ids=lambda entry: entry.name)
def test_a_lossy_rule_does_not_follow_the_target(entry):
    found = round_law(entry.verification.rule, pairs(40, 3, seed=8), Tree.chain(2), follows=target_law)
    assert found.distances.any()


def fall_back_to_the_target(target_probs, draft):
    """Rejection with the commonest fault: after a refusal, draw from the target."""
    return VerdictLaw(rejection(target_probs, draft).kept, lambda kept: pick_row(target_probs, kept))


def test_the_proof_fails_for_a_wrong_rule_and_names_the_text():
    found = round_law(fall_back_to_the_target, pairs(5, 3, seed=9), Tree.chain(2))
    assert found.distances.any()
    assert "it should be" in found.counterexample(Tree.chain(2))


def test_a_rule_that_ignores_q_is_exact_on_average_only_if_it_is_exact_for_each_draft():
    tables = pairs(20, 3, seed=10)
    assert not fixed_round_law(match, tables, Tree.chain(2)).distances.any()
    assert not round_law(match, tables, Tree.chain(2)).distances.any()


def test_a_rule_that_leaves_exact_arithmetic_is_refused():
    def in_floats(target_probs, draft):
        law = rejection(target_probs, draft)
        return VerdictLaw(law.kept.astype(float), law.correction)

    with pytest.raises(Unsupported, match="turned fractions into floats"):
        round_law(in_floats, pairs(2, 3, seed=0), Tree.chain(1))


def test_a_draft_of_nothing_leaves_the_target_alone():
    found = round_law(rejection, pairs(5, 3, seed=11), Tree.chain(0))
    assert not found.distances.any()
    assert found.vacuous
    assert not found.accepted.any()
