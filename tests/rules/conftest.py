"""Drafts of given tokens, and verdict laws written out so that two of them can be compared."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from draftproof.shapes import Array
from draftproof.tree import Tree
from draftproof.types import Draft, Rule, VerdictLaw


@pytest.fixture
def drafted() -> Callable[..., Draft]:
    """Make a draft: `drafted(laws, tokens, tree)`.

    `laws` (batch, nodes, vocab) holds for each node, from 0, the law that its children are drawn from; `tokens` (batch,
    draft) are the tokens drawn. Without a tree they are a chain.
    """

    def make(laws: Array, tokens: list[list[int]], tree: Tree | None = None) -> Draft:
        told = np.array(tokens)
        tree = Tree.chain(told.shape[1]) if tree is None else tree
        return Draft.sample(lambda so_far, node: laws[:, node], tree, lambda law, node, depth, live: told[:, node - 1])

    return make


@pytest.fixture
def settled() -> Callable[[VerdictLaw], list[list[Any]]]:
    """Write a verdict law out: `settled(law)[row][node]` is the probability that the path ends there and the law of what follows.

    What follows an end of probability 0 is left out, since it never comes.
    """

    def write(law: VerdictLaw) -> list[list[Any]]:
        batch, positions = law.kept.shape
        following = [law.correction(np.full(batch, node)) for node in range(positions)]
        return [
            [(law.kept[row, node], following[node][row].tolist() if law.kept[row, node] else None) for node in range(positions)]
            for row in range(batch)
        ]

    return write


@pytest.fixture
def identical(settled: Callable[[VerdictLaw], list[list[Any]]]) -> Callable[[Rule, Rule], Rule]:
    """Join two rules into one that requires them to decide alike on whatever it is given: to the last fraction."""

    def join(first: Rule, second: Rule) -> Rule:
        def rule(target_probs: Array, draft: Draft) -> VerdictLaw:
            law = first(target_probs, draft)
            assert settled(law) == settled(second(target_probs, draft))
            return law

        return rule

    return join
