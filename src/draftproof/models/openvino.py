"""OpenVINO on a CPU: the paged-attention graph of a language model, driven row by row.

The graph computes a row the same way, to the bit, whatever stands beside it: any width, any batch, after a rollback,
a prompt in one piece or in several. The one exception is a sequence with a single row, which takes another kernel. So
no pass here ever gives a sequence fewer than two rows: a plain step carries a row that nobody reads. And a probe at
start-up says whether this holds on this build and processor: `row_invariant`.

For the same reason rows that nobody reads cost no exactness where they save time. A pass of another number of rows than
the one before takes a fifth longer, since every node of the graph is prepared anew, so passes are filled up to a few numbers.

Keys and values live in blocks of `block_size` tokens in one pool. A cache is a list of block numbers and a length, so
rolling back is forgetting, and a batch of ragged lengths is a list of lists: nothing is copied or padded.

Trees are refused. The graph can mask a branch, but a masked row still takes part in the order of summation, and a row
beside it then differs in its last bits (4e-5 of a logit): the cache would no longer be that of plain decoding.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np

from draftproof.errors import BadRequest, Unsupported
from draftproof.models.cost import filled
from draftproof.models.openvino_graph import compiled_graph
from draftproof.models.protocol import Block

LEAST_ROWS = 2
"""A sequence with one row is computed by another kernel, 6e-5 of a logit away."""

ROW_STEPS = (4, 8, 16, 24, 32, 48, 64)
"""A pass of fewer rows in all than the last of these is filled up to the next of them."""

CHUNK = 2048
"""Rows of a prompt in one pass: the more the faster, and few enough that a very long prompt needs little room."""

FIRST_BLOCKS = 32
"""The pool begins with room for about a thousand tokens and doubles when it is full."""

PRECISIONS = {
    "float32": {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"},
    "bfloat16": {"KV_CACHE_PRECISION": "bf16"},
}
"""float32 is 7e-4 from the weights in mean total variation, bfloat16 1.2e-2 and a quarter faster. An 8-bit cache is not
offered: with it a row depends on the width of the pass."""


class PagedCache:
    """The blocks of one request, and how many tokens they hold. They return to the pool when the cache is dropped."""

    def __init__(self, pool: "Pool") -> None:
        self.length = 0
        self.blocks: list[int] = []
        self._pool = pool
        finalize(self, pool.free.extend, self.blocks)

    def truncate(self, length: int) -> None:
        self.length = min(self.length, length)
        spare = self._pool.blocks_for(self.length)
        self._pool.free.extend(self.blocks[spare:])
        del self.blocks[spare:]

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        if list(offsets) != list(range(len(offsets))):
            raise Unsupported(f"an OpenVINO cache keeps chains only, not the entries {list(offsets)}; draft a chain")
        self.truncate(start + len(offsets))

    def contents(self) -> np.ndarray:
        """All keys and values held: (layers, key and value, length, heads, head size)."""
        return self._pool.read(self.blocks)[:, :, : self.length]


class Pool:
    """The blocks of all caches of one model."""

    def __init__(self, compiled: Any, request: Any) -> None:
        self._request = request
        self._ports = {port.any_name: port for port in compiled.inputs if "_cache." in port.any_name}
        self._names = sorted(self._ports, key=lambda name: (int(name.rpartition(".")[2]), name))
        shape = self._ports[self._names[0]].partial_shape
        self.block_size = shape[2].get_length()
        self.free: list[int] = []
        self._count = 0
        self._grow(FIRST_BLOCKS)

    def blocks_for(self, length: int) -> int:
        return -(-length // self.block_size)

    def reserve(self, cache: PagedCache, length: int) -> None:
        """Give the cache room for `length` tokens."""
        while len(cache.blocks) < self.blocks_for(length):
            if not self.free:
                self._grow(2 * self._count)
            cache.blocks.append(self.free.pop())

    def read(self, blocks: Sequence[int]) -> np.ndarray:
        held = [self._request.get_tensor(name).data[list(blocks)] for name in self._names]  # (blocks, heads, block size, head size)
        layers = [np.moveaxis(part, 1, 2).reshape(-1, part.shape[1], part.shape[3]) for part in held]
        return np.stack(layers).reshape(-1, 2, *layers[0].shape)

    def _grow(self, count: int) -> None:
        from openvino import Tensor

        for name in self._names:
            port = self._ports[name]
            shape = [count, *(size.get_length() for size in list(port.partial_shape)[1:])]
            larger = Tensor(port.element_type, shape)
            if self._count:
                held = self._request.get_tensor(name)
                held.copy_to(Tensor(larger, [0] * len(shape), list(held.shape)))
            self._request.set_tensor(name, larger)
        self.free.extend(reversed(range(self._count, count)))
        self._count = count


class OpenVinoModel:
    """A language model from an OpenVINO file, as `models.imported` makes it.

    Args:
        path: the folder of `openvino_model.xml`.
        context_length: the most tokens a sequence may have.
        precision: "float32" or "bfloat16", of arithmetic and cache alike.
        threads: by default as many as this process may use.

    Attributes:
        least_rows: rows that a sequence costs at least in a pass.
        row_steps: see `ROW_STEPS`.
        row_invariant: True if the probe saw a row come out the same, to the bit, in every company.

    Raises:
        BadRequest: no such file, or an unknown precision.
        Unsupported: the package openvino is missing, or the graph is not that of a language model.
    """

    least_rows = LEAST_ROWS
    row_steps = ROW_STEPS

    def __init__(self, path: Path, *, context_length: int, precision: str = "float32", threads: int | None = None) -> None:
        if precision not in PRECISIONS:
            raise BadRequest(f"precision {precision!r} is none of {', '.join(PRECISIONS)}")
        file = path / "openvino_model.xml"
        if not file.is_file():
            raise BadRequest(f"{path} holds no openvino_model.xml")
        if threads is not None and threads < 1:
            raise BadRequest(f"threads is {threads}; at least 1 must run the model")
        config = PRECISIONS[precision] | {"INFERENCE_NUM_THREADS": str(threads or len(os.sched_getaffinity(0)))}
        compiled = compiled_graph(file, config, halved=precision == "float32")
        self._request = compiled.create_infer_request()
        self._pool = Pool(compiled, self._request)
        self.vocab = compiled.outputs[0].partial_shape[2].get_length()
        self.context_length = sys.maxsize  # for the probe, which may be longer than the context of a tiny model
        self.row_invariant = rows_are_invariant(self)
        self.context_length = context_length

    def start(self) -> PagedCache:
        return PagedCache(self._pool)

    def extend(self, caches: Sequence[PagedCache], blocks: Sequence[Block]) -> list[np.ndarray]:
        """Append each block to its cache.

        Returns:
            a request: float32 logits (1 + drafted, vocab).

        Raises:
            BadRequest: a sequence would grow beyond the model's context.
            Unsupported: a drafted tree that is no chain.
        """
        rows, wanted = [], [1 + len(block.drafted) for block in blocks]
        for cache, block in zip(caches, blocks, strict=True):
            if not block.is_chain:
                raise Unsupported("this OpenVINO model verifies chains only: beside a branch a row is not computed to the same bits")
            if (length := cache.length + len(block.tokens) + len(block.drafted)) > self.context_length:
                raise BadRequest(f"the text would have {length} tokens; this model reads at most {self.context_length}")
            rows.append([*block.tokens, *block.drafted])
        for place, cache in enumerate(caches):
            while len(rows[place]) - wanted[place] >= CHUNK:
                self._infer([cache], [rows[place][:CHUNK]], [0])
                rows[place] = rows[place][CHUNK:]
        return self._infer(caches, rows, wanted) if rows else []

    def _infer(self, caches: Sequence[PagedCache], rows: Sequence[Sequence[int]], wanted: Sequence[int]) -> list[np.ndarray]:
        """One pass. Of each sequence's rows the last `wanted` come back as logits."""
        from openvino import Tensor

        past = [cache.length for cache in caches]
        fed = [[*row, *[row[-1]] * (LEAST_ROWS - len(row))] for row in rows]  # the row that nobody reads, where one is needed
        count = sum(map(len, fed))
        shortest = fed[past.index(min(past))]
        shortest += shortest[-1:] * (filled(count, ROW_STEPS) - count)  # attention is cheapest there
        for cache, row in zip(caches, fed, strict=True):
            self._pool.reserve(cache, cache.length + len(row))
        begins = np.cumsum([0, *map(len, fed)])
        held = [self._pool.blocks_for(length + len(row)) for length, row in zip(past, fed, strict=True)]
        read = [
            index
            for begin, row, want in zip(begins, rows, wanted, strict=False)
            for index in range(begin + len(row) - want, begin + len(row))
        ]
        inputs = {
            "input_ids": np.array([token for row in fed for token in row], np.int64),
            "position_ids": np.concatenate([np.arange(length, length + len(row)) for length, row in zip(past, fed, strict=True)]),
            "max_context_len": np.array(max(length + len(row) for length, row in zip(past, fed, strict=True)), np.int32),
            "past_lens": np.array(past, np.int32),
            "subsequence_begins": begins.astype(np.int32),
            "block_indices_begins": np.cumsum([0, *held]).astype(np.int32),
            "block_indices": np.array(
                [block for cache, count in zip(caches, held, strict=True) for block in cache.blocks[:count]], np.int32
            ),
            "rows": np.array([*read, *read[-1:] * (LEAST_ROWS - len(read))] or [0] * LEAST_ROWS, np.int64),
        }
        for name, value in inputs.items():
            self._request.set_tensor(name, Tensor(value))
        self._request.infer()
        for cache, given in zip(caches, rows, strict=True):
            cache.length += len(given)
        logits = np.array(self._request.get_output_tensor(0).data[: len(read), 0])
        return np.split(logits, np.cumsum(wanted)[:-1])


def rows_are_invariant(model: OpenVinoModel) -> bool:
    """Feed the same text in every company that a decode can bring about, and compare the rows bit for bit."""
    text = [(7919 * place) % model.vocab for place in range(1, 57)]
    start = 34  # not on the edge of a block, and beyond one
    cache, other = model.start(), model.start()
    expected = model.extend([cache], [_chain(text[:1], text[1:])])[0]
    same = True
    for width in (0, 1, 2, 3, 4, 7, 8, 11, 15, 16):
        cache.truncate(start)
        block = _chain(text[start : start + 1], text[start + 1 : start + 1 + width])
        alone = model.extend([cache], [block])[0]
        cache.truncate(start)
        other.truncate(0)
        beside = model.extend([other, cache], [_chain(text[9 : 12 + width]), block])[1]
        same &= np.array_equal(alone, expected[start : start + 1 + width]) and np.array_equal(beside, alone)
    cache.truncate(0)
    model.extend([cache], [_chain(text[:9])])
    in_parts = model.extend([cache], [_chain(text[9:10], text[10:])])[0]
    return same and np.array_equal(in_parts, expected[9:])


def _chain(tokens: Sequence[int], drafted: Sequence[int] = ()) -> Block:
    return Block(tokens, drafted, range(len(drafted)))
