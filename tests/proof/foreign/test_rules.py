"""The rules of this package, drawn from as a stranger would, have the law that `proof.rule` computes of them."""

import random
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

from draftproof.catalogue import CATALOGUE
from draftproof.proof.fixtures import ROWS, constant_pair, row
from draftproof.proof.foreign import explore_program
from draftproof.proof.rule import round_law
from draftproof.tree import Tree
from draftproof.types import Draft
from draftproof.verify import Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

LAWS = [entry for entry in CATALOGUE.values() if isinstance(entry.verification, Independent)]
CASES = {"F2, one token": (ROWS["F2"], 1), "halves, two tokens": ((row(50, 50, 0), row(25, 75, 0)), 2)}


def pick(weights):
    """Invert the cumulative weights at a number of the standard library."""
    u = random.random()
    return next(place for place, edge in enumerate(accumulate(weights)) if u < edge)


class Dice:
    """The door for randomness, with nothing proved about it."""

    def pick(self, weights, at):
        return pick(list(weights))


def one_round(rule, target, draft_row, tree):
    """A text of depth + 1 tokens: a round, and tokens of the target after it."""
    drawn = [np.array([draft_row], object)] * (tree.width + 1)
    draft = Draft.sample(
        lambda tokens, node: drawn[node], tree, lambda laws, node, depth, live: np.array([pick(list(laws[0])) if live[0] else 0])
    )
    targets = np.array([[target] * (tree.width + 1)], object)
    verdict = Independent(rule).verdict(targets, draft, [Dice()], [0])
    path = tree.path(int(verdict.kept[0]))
    text = [*(int(draft.tokens[0, node - 1]) for node in path), int(verdict.token[0])]
    depth = max(len(tree.path(node)) for node in range(tree.width + 1))
    return tuple(text + [pick(target) for _ in range(depth + 1 - len(text))])


@pytest.mark.parametrize(("rows", "width"), CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("entry", LAWS, ids=lambda entry: entry.name)
def test_a_round_of_every_rule(entry, rows, width):
    tree = Tree(tuple(range(width)), entry.siblings) if entry.siblings else Tree.chain(width)
    expected = round_law(entry.verification.rule, [constant_pair(*rows)], tree).observed[0]
    found = explore_program(lambda: one_round(entry.verification.rule, *rows, tree))
    assert found.complete
    assert {text: found.law.get(text, Fraction(0)) for text in np.ndindex(expected.shape)} == dict(np.ndenumerate(expected))


def test_a_rule_that_is_given_another_table_is_not_the_same():
    rejection = CATALOGUE["rejection"].verification.rule
    (target, draft_row), tree = ROWS["F2"], Tree.chain(1)
    expected = round_law(rejection, [constant_pair(*ROWS["F2"])], tree).observed[0]
    found = explore_program(lambda: one_round(rejection, draft_row, target, tree))
    assert {text: found.law.get(text, Fraction(0)) for text in np.ndindex(expected.shape)} != dict(np.ndenumerate(expected))
