"""A cache of keys and values: cut, gathered, joined with others and given back."""

import pytest
import torch
from transformers.cache_utils import DummyLayer, DynamicCache, DynamicLayer

from draftproof.models.hf_cache import HfCache, append, filled, join
from draftproof.models.protocol import Cache

HEADS, KEY_WIDTH, VALUE_WIDTH = 2, 3, 5


def empty():
    """Three layers, of which the second shares what another holds."""
    entries = DynamicCache()
    entries.layers = [DynamicLayer(), DummyLayer(), DynamicLayer()]
    return entries


def holding(tokens):
    """Every number of an entry is its token, and 100 more in the last layer."""
    entries = empty()
    if tokens:
        for layer, base in ((0, 0.0), (2, 100.0)):
            column = base + torch.tensor(tokens, dtype=torch.float32)[None, None, :, None]
            entries.layers[layer].update(column.expand(1, HEADS, -1, KEY_WIDTH), -column.expand(1, HEADS, -1, VALUE_WIDTH))
    return HfCache(entries)


def tokens(entries, row=0):
    """What a row holds, read back from every number of it."""
    found = set()
    for layer, base in ((entries.layers[0], 0), (entries.layers[2], 100)):
        assert layer.keys.shape[1::2] == (HEADS, KEY_WIDTH)
        assert layer.values.shape[1::2] == (HEADS, VALUE_WIDTH)
        for part in (layer.keys, -layer.values):
            columns = part[row].transpose(0, 1).flatten(1)
            assert (columns == columns[:, :1]).all()
            found.add(tuple((columns[:, 0] - base * (columns[:, 0] != 0)).int().tolist()))
    assert len(found) == 1
    return list(found.pop())


class TestOneCache:
    def test_is_empty_at_first(self):
        cache = HfCache(empty())
        assert isinstance(cache, Cache)
        assert cache.length == 0
        assert filled(cache.entries) == []
        cache.truncate(0)
        cache.keep(0, [])

    @pytest.mark.parametrize(("length", "left"), [(4, [5, 6, 7, 8]), (2, [5, 6]), (0, [])])
    def test_truncate_forgets_what_lies_beyond(self, length, left):
        cache = holding([5, 6, 7, 8])
        cache.truncate(length)
        assert (tokens(cache.entries), cache.length) == (left, length)

    @pytest.mark.parametrize(
        ("start", "offsets", "left"),
        [(1, [0, 2], [5, 6, 8]), (0, range(2), [5, 6]), (2, [], [5, 6]), (0, [3, 1], [8, 6]), (3, [0], [5, 6, 7, 8])],
    )
    def test_keep_leaves_the_chosen_entries_in_the_chosen_order(self, start, offsets, left):
        cache = holding([5, 6, 7, 8])
        cache.keep(start, offsets)
        assert tokens(cache.entries) == left

    def test_goes_on_after_everything_was_forgotten(self):
        cache = holding([5, 6])
        cache.truncate(0)
        append(cache.entries, holding([7, 8, 9]).entries, row=0, count=2)
        assert tokens(cache.entries) == [8, 9]


class TestSeveralCaches:
    def test_stand_side_by_side_from_the_left(self):
        joined = join([holding([5, 6, 7]).entries, holding([8]).entries, holding([]).entries], empty())
        assert [tokens(joined, row) for row in range(3)] == [[5, 6, 7], [8, 0, 0], [0, 0, 0]]
        assert joined.get_seq_length() == 3

    def test_that_are_all_empty_join_to_an_empty_one(self):
        assert filled(join([holding([]).entries, holding([]).entries], empty())) == []

    def test_get_back_what_was_fed_to_each(self):
        caches = [holding([5, 6]), holding([]), holding([7])]
        joined = join([cache.entries for cache in caches], empty())
        fed = holding([1, 2, 3])
        for layer, new in zip(joined.layers, fed.entries.layers, strict=True):
            if new.keys is not None:
                layer.update(new.keys.expand(3, -1, -1, -1), new.values.expand(3, -1, -1, -1))
        for row, (cache, count) in enumerate(zip(caches, (1, 3, 2), strict=True)):
            append(cache.entries, joined, row, count)
        assert [tokens(cache.entries) for cache in caches] == [[5, 6, 3], [1, 2, 3], [7, 2, 3]]

    def test_are_copied_so_that_a_pass_writes_into_nobodys(self):
        cache = holding([5, 6])
        joined = join([cache.entries, holding([7]).entries], empty())
        for layer in filled(joined):
            layer.keys.fill_(0)
            layer.values.fill_(0)
        assert tokens(cache.entries) == [5, 6]
