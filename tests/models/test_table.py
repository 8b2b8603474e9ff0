"""Table models: exact, dependent on the last two tokens, and read back from the cache."""

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from draftproof.carriers import check_laws
from draftproof.errors import BadLaw
from draftproof.models.protocol import Block, Cache, Model
from draftproof.models.table import TableCache, TableModel, random_pair, random_row
from draftproof.tree import Tree

VOCAB = 3


@pytest.fixture
def model():
    """A model none of whose rows is another's, so that a wrong row cannot pass for the right one."""
    rows = [[Fraction(n, 40), Fraction(n + 1, 40), Fraction(39 - 2 * n, 40)] for n in range(VOCAB * VOCAB)]
    return TableModel(np.array(rows, dtype=object).reshape(VOCAB, VOCAB, VOCAB))


def read(model, cache, *block):
    return [row.tolist() for row in model.extend([cache], [Block(*block)])[0]]


def laws(model, *contexts):
    return [model.law(context).tolist() for context in contexts]


class TestConstruction:
    @pytest.mark.usefixtures("unchecked_shapes")
    @pytest.mark.parametrize("shape", [(2, 2), (2, 3, 3), (2, 2, 2, 2)])
    def test_refuses_a_table_of_another_shape(self, shape):
        with pytest.raises(BadLaw) as refusal:
            TableModel(np.full(shape, 0.5))
        assert str(refusal.value) == f"a table has shape (vocab, vocab, vocab), this one has {shape}"

    def test_refuses_a_row_that_is_no_law_and_names_it(self, carrier):
        rows = [[[1, 0], [1, 0]], [[1, 0], [1, 1]]]
        with pytest.raises(BadLaw, match=r"^table, row \(1, 1\): the probabilities sum to 2"):
            TableModel(carrier.array(rows))

    def test_takes_every_carrier(self, carrier, model):
        made = TableModel(carrier.array(model.table.tolist()))
        assert made.vocab == VOCAB
        assert carrier.same(made.law([1, 2]), model.law([1, 2]).tolist())
        assert carrier.same(made.extend([made.start()], [Block([1, 2])])[0], [model.law([1, 2]).tolist()])

    def test_makes_a_model_with_a_cache(self, model):
        assert isinstance(model, Model)
        assert isinstance(model.start(), Cache)


class TestLaw:
    def test_depends_on_the_last_two_tokens_and_on_no_other(self, model):
        assert (model.law([0, 1, 2]) == model.table[1, 2]).all()
        assert (model.law([2, 1, 2]) == model.table[1, 2]).all()

    def test_has_token_0_before_the_text(self, model):
        assert (model.law([2]) == model.table[0, 2]).all()


class TestExtend:
    def test_gives_the_law_after_the_last_token(self, model):
        assert read(model, model.start(), [1]) == laws(model, [1])
        assert read(model, model.start(), [1, 2]) == laws(model, [1, 2])

    def test_gives_one_law_more_for_each_drafted_token(self, model):
        assert read(model, model.start(), [1], [2, 0], [0, 1]) == laws(model, [1], [1, 2], [1, 2, 0])

    def test_shows_a_node_its_own_path_only(self, model):
        tree = Tree.branching(2, 2)
        drafted = [1, 2, 0, 1, 2, 0]
        paths = [[2, *(drafted[node - 1] for node in tree.path(node))] for node in range(tree.width + 1)]
        assert read(model, model.start(), [2], drafted, tree.parents) == laws(model, *paths)

    def test_goes_on_from_what_the_cache_holds(self, model):
        cache = model.start()
        model.extend([cache], [Block([0, 1])])
        assert read(model, cache, [2], [1], [0]) == laws(model, [0, 1, 2], [0, 1, 2, 1])
        assert (cache.tokens, cache.length) == ([0, 1, 2, 1], 4)

    def test_reads_a_wrong_cache_as_it_is(self, model):
        """Else a decode that spoils the cache would still look right."""
        assert read(model, TableCache([1]), [2]) != read(model, TableCache([0]), [2])

    def test_serves_a_ragged_batch_row_by_row(self, model):
        caches = [model.start(), TableCache([1])]
        out = model.extend(caches, [Block([1, 2, 0]), Block([2], [1], [0])])
        assert [len(rows) for rows in out] == [1, 2]
        assert [rows.tolist() for rows in out] == [laws(model, [1, 2, 0]), laws(model, [1, 2], [1, 2, 1])]

    def test_wants_a_block_for_every_cache(self, model):
        with pytest.raises(ValueError, match="argument 2 is shorter"):
            model.extend([model.start(), model.start()], [Block([1])])

    def test_leaves_what_it_was_given_alone(self, model):
        tokens, drafted = [1, 2], [0]
        model.extend([model.start()], [Block(tokens, drafted, [0])])
        assert (tokens, drafted) == ([1, 2], [0])


class TestCache:
    @pytest.mark.parametrize(("length", "left"), [(4, [5, 6, 7, 8]), (2, [5, 6]), (0, [])])
    def test_truncate_forgets_what_lies_beyond(self, length, left):
        cache = TableCache([5, 6, 7, 8])
        cache.truncate(length)
        assert (cache.tokens, cache.length) == (left, length)

    @pytest.mark.parametrize(
        ("start", "offsets", "left"), [(1, [0, 2], [5, 6, 8]), (0, [0, 1], [5, 6]), (2, [], [5, 6]), (0, [3, 1], [8, 6])]
    )
    def test_keep_leaves_the_chosen_entries_in_the_chosen_order(self, start, offsets, left):
        cache = TableCache([5, 6, 7, 8])
        cache.keep(start, offsets)
        assert cache.tokens == left


class TestRandomRow:
    SHAPES = {
        "generic": lambda row: all(row),
        "zeros": lambda row: True,
        "ties": lambda row: all(row) and len(set(row)) <= 2,
        "one_hot": lambda row: sorted(row)[-1] == 1,
    }

    @pytest.mark.parametrize("kind", SHAPES)
    def test_is_a_law_of_its_kind(self, kind):
        for seed in range(100):
            row = random_row(Random(seed), 4, kind)
            check_laws(np.array(row, object), kind)
            assert self.SHAPES[kind](row)

    def test_has_zeros_and_ties_where_they_are_asked_for(self):
        assert any(0 in random_row(Random(seed), 4, "zeros") for seed in range(20))
        assert any(len(set(random_row(Random(seed), 4, "ties"))) == 1 for seed in range(50))

    def test_is_never_all_zeros(self):
        """The weights are drawn from 0 to 3, so a single token often gets 0 and must then be given 1."""
        assert {tuple(random_row(Random(seed), 1, "zeros")) for seed in range(20)} == {(1,)}

    def test_keeps_its_denominators_small(self):
        assert all(entry.denominator <= 4 * 9 for seed in range(100) for entry in random_row(Random(seed), 4, "generic"))


class TestRandomPair:
    def test_is_the_same_for_the_same_seed(self):
        once, again = random_pair(Random(5), 3), random_pair(Random(5), 3)
        assert all((one.table == other.table).all() for one, other in zip(once, again, strict=True))

    def test_has_no_row_of_its_tables_decide_another(self):
        target, draft = random_pair(Random(5), 4)
        assert len({tuple(row) for row in target.table.reshape(-1, 4)}) > 8
        assert any((target.table[a, b] != target.table[c, b]).any() for a in range(4) for b in range(4) for c in range(4))
        assert (target.table != draft.table).any()

    def test_meets_in_every_way(self):
        """Rows that are equal, disjoint, point masses, tied, with zeros: each kind of edge is met in a few tables."""
        met = Counter()
        for seed in range(60):
            target, draft = (model.table.reshape(-1, 3) for model in random_pair(Random(seed), 3))
            for p, q in zip(target, draft, strict=True):
                met["equal"] += bool((p == q).all()) and 1 not in p
                apart = bool((p * q == 0).all()) and 1 not in p
                met["disjoint, the target's tokens first"] += apart and p[0] > 0
                met["disjoint, the draft's tokens first"] += apart and q[0] > 0
                met["point mass"] += 1 in p
                met["ties"] += len(set(p)) < 3
                met["a token only the target has"] += bool(((p > 0) & (q == 0)).any())
                met["a token only the draft has"] += bool(((p == 0) & (q > 0)).any())
                met["all tokens in both"] += bool((p * q > 0).all())
        assert min(met.values()) >= 10, met

    def test_of_one_token_has_one_law(self):
        for seed in range(20):
            target, draft = random_pair(Random(seed), 1)
            assert target.table.tolist() == draft.table.tolist() == [[[1]]]
