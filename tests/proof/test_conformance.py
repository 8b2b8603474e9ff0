"""A model, a cache and a drafter keep their protocols, or the check says which sentence is broken."""

from dataclasses import dataclass

import numpy as np
import pytest

from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.drafters.model import Memory, ModelDrafter
from draftproof.errors import BadRequest, NotConforming, Unsupported
from draftproof.models.table import TableCache, TableModel
from draftproof.proof import assert_drafter, assert_model
from draftproof.proof.fixtures import pairs
from draftproof.tree import Tree
from draftproof.types import Draft

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

TARGET, DRAFT = pairs(1, 3, seed=3)[0]


def with_cache(kind):
    """The target with another kind of cache."""

    class Model(TableModel):
        def start(self):
            return kind([])

    return Model(TARGET.table)


class ChainsOnly(TableCache):
    def keep(self, start, offsets):
        if list(offsets) != list(range(len(offsets))):
            raise Unsupported("this cache holds chains only")
        self.truncate(start + len(offsets))


class NeverTruncates(TableCache):
    def truncate(self, length):
        pass


class TruncatesTooFar(TableCache):
    def truncate(self, length):
        super().truncate(length - 1)
        self.tokens.append(0)


class KeepsTheFirstSibling(TableCache):
    def keep(self, start, offsets):
        self.truncate(start + len(offsets))


class KeepsTooMuch(TableCache):
    def keep(self, start, offsets):
        super().keep(start, [*offsets, 0])


@dataclass(frozen=True, eq=False)
class MindsItsNeighbours(TableModel):
    def extend(self, caches, blocks):
        rows = super().extend(caches, blocks)
        return [rows[0], *[np.roll(row, 1, axis=-1) for row in rows[1:]]]


@dataclass(frozen=True, eq=False)
class MindsTheChunks(TableModel):
    def extend(self, caches, blocks):
        rows = super().extend(caches, blocks)
        return [row if not block.drafted else np.concatenate([row[:1], row[:-1]]) for row, block in zip(rows, blocks, strict=True)]


@dataclass(frozen=True, eq=False)
class BlindBelowTheFirstLevel(TableModel):
    """Reads a parent that is itself drafted as the token fed just before."""

    def extend(self, caches, blocks):
        flat = [block._replace(parents=[min(parent, 1) and node for node, parent in enumerate(block.parents)]) for block in blocks]
        return super().extend(caches, flat)


@dataclass(frozen=True, eq=False)
class OneRowOnly(TableModel):
    def extend(self, caches, blocks):
        return [rows[:1] for rows in super().extend(caches, blocks)]


class LogitsOfZero(TableModel):
    """A right model whose rows hold -inf."""

    def extend(self, caches, blocks):
        with np.errstate(divide="ignore"):
            return [np.log(rows.astype(float)) for rows in super().extend(caches, blocks)]


def test_rows_with_minus_infinity_are_equal_to_themselves_and_nan_is_not():
    table = TARGET.table.copy()
    table[0, 0] = [0, 1, 0]
    assert_model(LogitsOfZero(table))

    class Broken(TableModel):
        def extend(self, caches, blocks):
            return [rows.astype(float) * np.nan for rows in super().extend(caches, blocks)]

    with pytest.raises(NotConforming, match="holds NaN"):
        assert_model(Broken(TARGET.table))


def test_checks_of_nothing_are_refused():
    with pytest.raises(BadRequest, match="0 texts of up to 8 tokens test nothing"):
        assert_model(TARGET, texts=0)


def test_table_models_and_models_of_chains_conform():
    assert_model(TARGET)
    assert_model(TableModel(TARGET.table.astype(float)), tolerance=0)
    assert_model(with_cache(ChainsOnly))


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (with_cache(NeverTruncates), "the cache has length .* truncated to"),
        (with_cache(TruncatesTooFar), "truncated differs from a fresh pass by"),
        (with_cache(KeepsTheFirstSibling), "second of two siblings|kept branch"),
        (with_cache(KeepsTooMuch), "the cache has length .* kept the first"),
        (MindsItsNeighbours(TARGET.table), "beside"),
        (MindsTheChunks(TARGET.table), "fed before differs"),
        (BlindBelowTheFirstLevel(TARGET.table), "the branch"),
        (OneRowOnly(TARGET.table), "extend returns a list with one array a cache, here of shape"),
    ],
    ids=[
        "never truncates",
        "truncates too far",
        "keeps a wrong sibling",
        "keeps too much",
        "minds its neighbours",
        "minds the chunks",
        "blind below",
        "one row only",
    ],
)
def test_a_broken_model_is_named(model, sentence):
    with pytest.raises(NotConforming, match=sentence):
        assert_model(model)


def test_rounding_is_allowed_only_as_far_as_it_is_stated():
    @dataclass(frozen=True, eq=False)
    class Rounds(TableModel):
        def extend(self, caches, blocks):
            return [row + 1e-9 * len(block.tokens) for row, block in zip(super().extend(caches, blocks), blocks, strict=True)]

    model = Rounds(TARGET.table.astype(float))
    assert_model(model, tolerance=1e-6)
    with pytest.raises(NotConforming, match="allowed 0"):
        assert_model(model)


def test_drafters_conform():
    assert_drafter(ModelDrafter(DRAFT, Tree.chain(2)), TARGET)
    assert_drafter(ModelDrafter(DRAFT, Tree((0, 0, 1))), TARGET)
    assert_drafter(ModelDrafter(DRAFT, Tree.chain(3), depth=lambda request: len(request.context) % 4), TARGET)
    assert_drafter(FunctionDrafter(lambda context: context[-2:], 3), TARGET)
    assert_drafter(no_drafter(3), TARGET)


class Wrong(ModelDrafter):
    """A model drafter that does one thing wrong."""


class Counts(Wrong):
    """Proposes something else each time."""

    def propose(self, requests, pick):
        self.__dict__["asked"] = self.__dict__.get("asked", 0) + 1
        return Draft.fixed([[self.__dict__["asked"] % 3]] * len(requests), vocab=3)


class TrustsItsMemory(Wrong):
    """Believes that its cache still holds the beginning of the context."""

    class Stale(Memory):
        def missing(self, wanted):
            self.tokens = self.tokens or list(wanted[:-1])
            self.cache.tokens = list(self.tokens)
            return list(wanted[-1:])

    def start(self):
        return self.Stale(self.model.start())


class GoesTooDeep(Wrong):
    """Drafts beyond the end of the text."""

    def propose(self, requests, pick):
        return super().propose([request._replace(width=2) for request in requests], pick)


class ForgetsWhenItLearns(Wrong):
    """Drafts nothing for a request that it has met."""

    def propose(self, requests, pick):
        met = [bool(request.memory.tokens) for request in requests]
        draft = super().propose(requests, pick)
        return Draft.none(len(requests), vocab=3) if all(met) else draft


class FirstRowForAll(Wrong):
    """Gives every session the draft of the first."""

    def propose(self, requests, pick):
        draft = super().propose(requests, pick)
        return draft.take([0] * len(requests)).as_fixed()


class PicksTheLikeliest(Wrong):
    """Records the draft law, but takes its likeliest token."""

    def propose(self, requests, pick):
        return super().propose(requests, lambda laws, node, depth, live: laws.argmax(-1))


class SharpensThePick(Wrong):
    """Draws from the square of the law that it records."""

    def propose(self, requests, pick):
        return super().propose(requests, lambda laws, node, depth, live: pick(laws * laws, node, depth, live))


class AnswersWithAList(Wrong):
    def propose(self, requests, pick):
        return [[0]] * len(requests)


class OtherVocabulary(Wrong):
    def propose(self, requests, pick):
        return Draft.none(len(requests), vocab=4)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (Counts, "asked twice after"),
        (TrustsItsMemory, "with the memory of another context"),
        (GoesTooDeep, "a request of width 1 got a draft 2 tokens deep"),
        (ForgetsWhenItLearns, "with the memory of another context"),
        (FirstRowForAll, "beside another session"),
        (OtherVocabulary, "over 4 tokens; the target has 3"),
        (PicksTheLikeliest, "did not draw from the law that is recorded"),
        (SharpensThePick, "did not draw from the law that is recorded"),
        (AnswersWithAList, "propose returns a Draft with one row a session; for 1 sessions this drafter gave list"),
    ],
)
def test_a_broken_drafter_is_named(kind, sentence):
    with pytest.raises(NotConforming, match=sentence):
        assert_drafter(kind(DRAFT, Tree.chain(2)), TARGET)


def test_an_adaptive_drafter_may_draft_less_but_nothing_else():
    assert_drafter(ForgetsWhenItLearns(DRAFT, Tree.chain(2)), TARGET, adaptive=True)
    for kind in (Counts, TrustsItsMemory, FirstRowForAll):
        with pytest.raises(NotConforming):
            assert_drafter(kind(DRAFT, Tree.chain(2)), TARGET, adaptive=True)
