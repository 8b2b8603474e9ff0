"""Trees: parents before children, children in the order in which they are drawn."""

from itertools import product

import pytest

from draftproof.errors import BadDraft
from draftproof.tree import Siblings, Tree

EVERY_TREE = [Tree(parents) for width in range(6) for parents in product(*(range(node + 1) for node in range(width)))]
"""Of at most five nodes."""


class TestAParentComesBeforeItsChild:
    @pytest.mark.parametrize(
        ("parents", "message"),
        [
            ((1,), "node 1 has parent 1; a parent must be a node from 0 to 0"),
            ((0, 2), "node 2 has parent 2; a parent must be a node from 0 to 1"),
            ((0, 0, -1), "node 3 has parent -1; a parent must be a node from 0 to 2"),
        ],
    )
    def test_any_other_is_refused(self, parents, message):
        with pytest.raises(BadDraft) as refusal:
            Tree(parents)
        assert str(refusal.value) == message


class TestChain:
    @pytest.mark.parametrize("width", [0, 1, 4])
    def test_has_its_nodes_one_after_another(self, width):
        tree = Tree.chain(width)
        assert (tree.width, tree.is_chain, tree.path(width)) == (width, True, tuple(range(1, width + 1)))

    def test_is_the_only_shape_called_a_chain(self):
        assert not Tree((0, 0)).is_chain
        assert not Tree((0, 1, 1)).is_chain


class TestBranching:
    def test_gives_every_node_of_a_level_the_same_number_of_children(self):
        tree = Tree.branching(2, 1, 2)
        assert tree.parents == (0, 0, 1, 2, 3, 3, 4, 4)
        assert tree.children == ((1, 2), (3,), (4,), (5, 6), (7, 8), (), (), (), ())

    def test_with_one_child_each_is_the_chain(self):
        assert Tree.branching(1, 1, 1) == Tree.chain(3)

    def test_of_no_levels_is_the_empty_chain(self):
        assert Tree.branching() == Tree.chain(0)

    def test_passes_on_how_siblings_are_drawn(self):
        assert Tree.branching(2).siblings is Siblings.DISTINCT
        assert Tree.branching(2, siblings=Siblings.INDEPENDENT).siblings is Siblings.INDEPENDENT


class TestPath:
    def test_runs_from_the_first_drafted_token_down_to_the_node(self):
        assert Tree.branching(2, 2).path(6) == (2, 6)

    def test_to_the_end_of_the_context_is_empty(self):
        assert Tree.branching(2, 2).path(0) == ()


class TestEveryTreeOfAtMostFiveNodes:
    def test_is_looked_at(self):
        assert len(set(EVERY_TREE)) == 1 + 1 + 2 + 6 + 24 + 120

    def test_has_each_node_under_its_parent_and_nowhere_else(self):
        for tree in EVERY_TREE:
            found = sorted((child, node) for node, children in enumerate(tree.children) for child in children)
            assert found == list(enumerate(tree.parents, start=1))

    def test_leads_to_a_node_by_way_of_its_parent(self):
        for tree in EVERY_TREE:
            for node, parent in enumerate(tree.parents, start=1):
                assert tree.path(node) == (*tree.path(parent), node)


def test_equal_shapes_are_equal_and_may_key_a_table():
    assert {Tree.chain(2): "chain"}[Tree((0, 1))] == "chain"
    assert Tree((0, 0)) != Tree((0, 0), Siblings.INDEPENDENT)
