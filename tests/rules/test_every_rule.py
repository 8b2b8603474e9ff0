"""What every rule does, whatever its formula: on every carrier, on ragged batches, at the edges."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from draftproof.catalogue import CATALOGUE
from draftproof.models.table import KINDS, random_row
from draftproof.proof.fixtures import constant_pair, row
from draftproof.proof.rule import round_law
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft
from draftproof.verify import Independent

P, Q = row(50, 30, 20), row(20, 50, 30)

WITH_A_LAW = [entry for entry in CATALOGUE.values() if isinstance(entry.verification, Independent)]
every_rule = pytest.mark.parametrize("entry", WITH_A_LAW, ids=lambda entry: entry.name)
every_exact_rule = pytest.mark.parametrize("entry", [entry for entry in WITH_A_LAW if entry.exact], ids=lambda entry: entry.name)


def shape(entry, *parents):
    """A tree that the rule verifies: of these parents, or for a rule of chains a chain as long."""
    return Tree(parents, entry.siblings) if entry.siblings else Tree.chain(len(parents))


def random_rows(count, *, vocab, seed, kind="generic"):
    random = Random(seed)
    return [random_row(random, vocab, kind) for _ in range(count)]


def exact(rows):
    return np.array(rows, object)


def sampled(laws, tree, *, array=exact, seed):
    """Six drafts drawn by chance: the law of the children of node n is `laws[n]`, in every row."""
    random = Random(seed)

    def pick(law, node, depth, live):
        return np.array([random.choices(range(len(weights)), weights)[0] if sum(weights) else NOTHING for weights in law.tolist()])

    return Draft.sample(lambda tokens, node: array([laws[node]] * 6), tree, pick)


@every_rule
class TestEveryLaw:
    @pytest.mark.parametrize("parents", [(0,), (0, 1, 2), (0, 0, 0), (0, 0, 1)], ids=str)
    def test_is_the_same_to_rounding_on_every_carrier(self, entry, carrier, settled, drafted, parents):
        """On random rows, so that nothing is a tie, with tokens drawn once for all carriers."""
        tree, rule = shape(entry, *parents), entry.verification.rule
        target, laws = (random_rows(tree.width + 1, vocab=5, seed=seed) for seed in (1, 2))
        draft = sampled(laws, tree, seed=3)
        wanted = settled(rule(exact([target] * 6), draft))
        found = rule(carrier.array([target] * 6), drafted(carrier.array([laws] * 6), draft.tokens.tolist(), tree))
        tolerance = 16 * carrier.tolerance
        assert (type(found.kept), found.kept.dtype) == (type(carrier.array([0])), carrier.array([Fraction(0)]).dtype)
        for node in range(tree.width + 1):
            following = found.correction(np.full(6, node))
            assert following.dtype == found.kept.dtype
            for row_found, place in zip(following.tolist(), range(6), strict=True):
                kept, law = wanted[place][node]
                assert abs(float(found.kept[place, node]) - float(kept)) <= tolerance
                # What follows something unlikely is known as badly as rounding is large beside it.
                assert law is None or np.allclose(np.array(row_found, float), np.array(law, float), rtol=0, atol=float(tolerance / kept))

    @pytest.mark.parametrize("kind", KINDS[:4])
    def test_sums_to_1_with_a_law_after_every_node(self, entry, kind):
        tree = shape(entry, 0, 0, 1)
        target, laws = (random_rows(4, vocab=4, seed=seed, kind=kind) for seed in (4, 5))
        law = entry.verification.rule(exact([target] * 6), sampled(laws, tree, seed=6))
        for rows in (law.kept, *(law.correction(np.full(6, node)) for node in range(tree.width + 1))):
            assert (rows.sum(-1) == 1).all()
            assert (rows >= 0).all()

    def test_of_a_row_does_not_depend_on_wider_rows_beside_it(self, entry, settled, drafted):
        """A batch of depths 2, 1 and 0: each row is settled as in a batch of its own, on a tree no larger than it."""
        tree = shape(entry, 0, 0, 1) if entry.siblings else Tree.chain(2)
        smaller = shape(entry, 0, 0) if entry.siblings else Tree.chain(1)
        target, laws = (np.array(random_rows(4, vocab=4, seed=side), object)[: tree.width + 1] for side in (5, 6))
        depth = np.array([len(tree.path(node)) for node in range(tree.width + 1)])
        best = np.argsort(-laws[0].astype(float), kind="stable")
        tokens = [int(best[1]), int(best[0]), int(best[2])]
        targets = np.stack([target * (depth <= limit)[:, None] for limit in (2, 1, 0)])
        drawn_from = np.stack([laws * (depth < limit)[:, None] for limit in (2, 1, 0)])
        draft = drafted(drawn_from, [tokens[: tree.width]] * 3, tree)
        assert (draft.tokens == NOTHING).sum(-1).tolist() == [0, tree.width - smaller.width, tree.width]
        together = settled(entry.verification.rule(targets, draft))

        narrow = drafted(drawn_from[1:2], [tokens[: smaller.width]], smaller)
        nothing = Draft.fixed([()], vocab=4, tree=shape(entry))
        for place, alone in ((1, narrow), (2, nothing)):
            width = alone.tree.width
            (law,) = settled(entry.verification.rule(targets[place : place + 1, : width + 1], alone))
            assert together[place] == law + [(0, None)] * (tree.width - width)


@every_exact_rule
class TestEveryExactRule:
    EDGES = {
        "equal": (P, P),
        "equal and one hot": (row(0, 100, 0), row(0, 100, 0)),
        "equal with a zero": (row(0, 40, 60), row(0, 40, 60)),
        "a draft of fewer tokens": (P, row(0, 40, 60)),
        "a target of fewer tokens": (row(0, 40, 60), P),
        "disjoint": (row(50, 50, 0), row(0, 0, 100)),
        "a draft that is certain": (P, row(0, 100, 0)),
        "a target that is certain": (row(0, 100, 0), P),
        "ties": (row(40, 40, 20), row(20, 40, 40)),
    }

    @pytest.mark.parametrize("pair", EDGES.values(), ids=EDGES.keys())
    def test_is_exact_at_the_edge(self, entry, pair):
        for tree in (shape(entry, 0), shape(entry, 0, 1), shape(entry, 0, 0), shape(entry, 0, 0, 0)):
            assert not round_law(entry.verification.rule, [constant_pair(*pair)], tree, follows=entry.law_of_rows).distances.any()

    @pytest.mark.parametrize("pair", EDGES.values(), ids=EDGES.keys())
    def test_divides_by_no_zero_in_floats(self, entry, pair, carrier):
        """A warning would be an error."""
        tree = shape(entry, 0, 0)
        target = carrier.array([[list(pair[0])] * 3] * 6)
        law = entry.verification.rule(target, sampled([list(pair[1])] * 3, tree, array=carrier.array, seed=0))
        for node in range(3):
            following = law.correction(np.full(6, node))
            assert bool(((following >= 0) & (following <= 1 + 4 * carrier.tolerance)).all())
        assert bool((abs(law.kept.sum(-1) - 1) <= 4 * carrier.tolerance).all())
