"""The paged graph: every row to the same bits in any company, whatever was rolled back."""

import gc
from pathlib import Path

import numpy as np
import pytest

from draftproof.errors import BadRequest, NotConforming, Unsupported
from draftproof.models import openvino as module
from draftproof.models.language import LanguageModel
from draftproof.models.openvino import OpenVinoModel, PagedCache, rows_are_invariant
from draftproof.models.protocol import Block
from draftproof.proof import assert_model


@pytest.fixture
def model(tiny: LanguageModel) -> OpenVinoModel:
    assert isinstance(tiny.model, OpenVinoModel)
    return tiny.model


def chain(tokens: list[int], drafted: list[int] | None = None) -> Block:
    return Block(tokens, drafted or [], range(len(drafted or [])))


def test_it_keeps_the_protocol_to_the_bit(model: OpenVinoModel) -> None:
    assert_model(model, tolerance=0.0)


def test_the_conformance_check_sees_a_cache_that_forgets_too_little(model: OpenVinoModel, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = PagedCache.truncate
    monkeypatch.setattr(PagedCache, "truncate", lambda cache, length: honest(cache, length + 1))
    with pytest.raises(NotConforming):
        assert_model(model)


def test_rows_are_invariant_and_the_probe_can_say_otherwise(model: OpenVinoModel, monkeypatch: pytest.MonkeyPatch) -> None:
    assert model.row_invariant
    # One row a sequence takes another kernel: the very thing that the second row avoids.
    monkeypatch.setattr(module, "LEAST_ROWS", 1)
    assert not rows_are_invariant(model)


def test_a_batch_of_ragged_lengths_and_widths_equals_its_rows_alone(model: OpenVinoModel) -> None:
    random = np.random.default_rng(1)
    texts = [random.integers(0, model.vocab, length).tolist() for length in (1, 31, 32, 33, 64, 90)]
    drafts = [random.integers(0, model.vocab, width).tolist() for width in (0, 5, 1, 0, 8, 2)]
    blocks = [chain(text, draft) for text, draft in zip(texts, drafts, strict=True)]
    together = model.extend([model.start() for _ in blocks], blocks)
    for block, rows in zip(blocks, together, strict=True):
        assert rows.dtype == np.float32
        assert rows.shape == (1 + len(block.drafted), model.vocab)
        assert np.array_equal(rows, model.extend([model.start()], [block])[0])


def test_passes_are_filled_up_with_rows_that_nobody_reads(model: OpenVinoModel, monkeypatch: pytest.MonkeyPatch) -> None:
    caches = [model.start(), model.start()]
    model.extend(caches, [chain([1] * 9), chain([2] * 40)])
    fed: list[int] = []
    infer = type(model._request).infer
    monkeypatch.setattr(
        type(model._request), "infer", lambda request: fed.append(request.get_tensor("input_ids").shape[0]) or infer(request)
    )
    expected = [model.extend([cache], [chain([3], [4, 5])])[0] for cache in caches]
    assert fed == [4, 4]
    assert [cache.length for cache in caches] == [12, 43]
    for cache, length in zip(caches, (9, 40), strict=True):
        cache.truncate(length)
    together = model.extend(caches, [chain([3], [4, 5]), chain([3], [4, 5])])
    assert fed == [4, 4, 8]
    assert all(np.array_equal(*rows) for rows in zip(together, expected, strict=True))
    assert [cache.length for cache in caches] == [12, 43]
    model.extend([model.start()], [chain([1] * 65)])
    assert fed[3:] == [65]


def test_a_prompt_of_several_chunks_is_the_prompt(model: OpenVinoModel, monkeypatch: pytest.MonkeyPatch) -> None:
    text = np.random.default_rng(2).integers(0, model.vocab, 130).tolist()
    whole, parts = model.start(), model.start()
    expected = model.extend([whole], [chain(text[:120], text[120:])])
    monkeypatch.setattr(module, "CHUNK", 33)
    found = model.extend([parts], [chain(text[:120], text[120:])])
    assert np.array_equal(found, expected)
    assert parts.length == whole.length == 130
    assert np.array_equal(parts.contents(), whole.contents())


def test_the_pool_grows_and_blocks_return(model: OpenVinoModel) -> None:
    pool = model._pool
    gc.collect()
    before, count = len(pool.free), pool._count
    text = np.random.default_rng(3).integers(0, model.vocab, 500).tolist()
    first = model.start()
    kept = model.extend([first], [chain(text[:40])])
    held = first.contents()
    others = [model.start() for _ in range(3 + count * pool.block_size // 500)]
    model.extend(others, [chain(text) for _ in others])
    assert pool._count > count
    assert np.array_equal(first.contents(), held)
    first.truncate(39)
    assert np.array_equal(model.extend([first], [chain(text[39:40])]), kept)
    del first, others
    gc.collect()
    assert len(pool.free) == before + pool._count - count
    assert len(set(pool.free)) == len(pool.free)


def test_truncating_returns_whole_blocks_and_forgets(model: OpenVinoModel) -> None:
    cache = model.start()
    model.extend([cache], [chain(list(range(70)))])
    assert (cache.length, len(cache.blocks)) == (70, 3)
    cache.truncate(80)
    assert cache.length == 70
    cache.truncate(33)
    assert (cache.length, len(cache.blocks)) == (33, 2)
    cache.truncate(0)
    assert (cache.length, len(cache.blocks)) == (0, 0)


def test_trees_are_refused_and_say_why(model: OpenVinoModel) -> None:
    cache = model.start()
    with pytest.raises(Unsupported, match="chains only"):
        model.extend([cache], [Block([1], [2, 3], [0, 0])])
    assert cache.length == 0
    model.extend([cache], [chain([1], [2, 3])])
    with pytest.raises(Unsupported, match="draft a chain"):
        cache.keep(0, [0, 2])
    cache.keep(0, [0, 1])
    assert cache.length == 2


def test_no_request_is_an_ordinary_batch(model: OpenVinoModel) -> None:
    assert model.extend([], []) == []


def test_a_text_beyond_the_context_is_refused_before_anything_is_fed(model: OpenVinoModel) -> None:
    caches = [model.start(), model.start()]
    with pytest.raises(BadRequest, match="the text would have 513 tokens; this model reads at most 512"):
        model.extend(caches, [chain([1]), chain([1] * 510, [2, 3, 4])])
    assert [cache.length for cache in caches] == [0, 0]
    model.extend(caches, [chain([1]), chain([1] * 510, [2, 3])])


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"precision 'int8' is none of float32, bfloat16"):
        OpenVinoModel(tmp_path, context_length=9, precision="int8")
    with pytest.raises(BadRequest, match=r"holds no openvino_model\.xml"):
        OpenVinoModel(tmp_path, context_length=9)
    (tmp_path / "openvino_model.xml").write_text("<net/>")
    with pytest.raises(Unsupported, match="is not the graph of a language model"):
        OpenVinoModel(tmp_path, context_length=9)
