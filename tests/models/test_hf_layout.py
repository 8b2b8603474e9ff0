"""Ragged blocks as one rectangle: what is cached from the left, what is fed from the right."""

import numpy as np
import pytest

from draftproof.models.hf_layout import depths, entries, lay_out
from draftproof.models.protocol import Block

TREE = Block([5, 6], [7, 8, 9, 3], [0, 0, 2, 1])
"""6 is followed by 7 and 8, 7 by 3, 8 by 9."""


def seen(layout, row, fed, window=None):
    return np.flatnonzero(layout.within(window)[row, fed]).tolist()


class TestBlock:
    def test_has_an_entry_a_token(self):
        assert entries(TREE) == 6
        assert entries(Block([1])) == 1

    def test_has_its_siblings_at_one_depth(self):
        assert depths(TREE) == [0, 1, 2, 2, 3, 3]
        assert depths(Block([1, 2, 3])) == [0, 1, 2]

    @pytest.mark.parametrize(("parents", "chain"), [([], True), ([0, 1, 2], True), (range(3), True), ([0, 0], False), ([0, 1, 1], False)])
    def test_is_a_chain_if_every_token_follows_the_one_before(self, parents, chain):
        assert Block([1], [2] * len(parents), parents).is_chain == chain


class TestLayout:
    def test_of_a_tree_shows_every_node_its_ancestors_alone(self):
        layout = lay_out([0], [TREE])
        assert layout.tokens.tolist() == [[5, 6, 7, 8, 9, 3]]
        assert layout.positions.tolist() == [[0, 1, 2, 2, 3, 3]]
        assert [seen(layout, 0, fed) for fed in range(6)] == [[0], [0, 1], [0, 1, 2], [0, 1, 3], [0, 1, 3, 4], [0, 1, 2, 5]]

    def test_of_a_batch_keeps_every_row_to_itself(self):
        layout = lay_out([3, 1], [Block([4]), Block([7, 8])])
        assert layout.tokens.tolist() == [[0, 4], [7, 8]]
        assert layout.positions.tolist() == [[0, 1, 2, 0, 3], [0, 0, 0, 1, 2]]
        assert layout.fed_positions.tolist() == [[0, 3], [1, 2]]
        assert seen(layout, 0, 1) == [0, 1, 2, 4]
        assert [seen(layout, 1, fed) for fed in (0, 1)] == [[0, 3], [0, 3, 4]]

    def test_lets_padding_see_itself_since_a_row_that_sees_nothing_has_no_softmax(self):
        layout = lay_out([3, 1], [Block([4]), Block([7, 8])])
        assert seen(layout, 0, 0) == [3]
        assert layout.within(1).any(-1).all()

    @pytest.mark.parametrize(("window", "past"), [(1, []), (2, [4]), (3, [2, 4]), (None, [0, 1, 2, 4])])
    def test_counts_a_window_in_positions_not_in_columns(self, window, past):
        """Columns 0 to 2 are cached, 3 is padding, 4 is fed, 5 and 6 are siblings below it: both look back equally far."""
        layout = lay_out([3, 0], [Block([1], [2, 3], [0, 0]), Block([1] * 4)])
        assert layout.positions[0].tolist() == [0, 1, 2, 0, 3, 4, 4]
        assert seen(layout, 0, 2, window) == [*past, 5]
        assert seen(layout, 0, 3, window) == [*past, 6]
