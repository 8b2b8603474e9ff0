"""GGUF files: what they say of themselves, and the same weights in half precision.

OpenVINO reads GGUF, but of a block of 4-bit weights with a float minimum (Q4_1) it rounds that minimum to a whole number:
another model, 0.29 away in mean total variation. In half precision there is nothing to round, and what the file meant is
what runs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from draftproof.errors import BadRequest, Unsupported

MAGIC = b"GGUF"

Told = Callable[[int, int], None]
"""(tensors done, tensors in all)"""


def described(path: Path) -> tuple[dict[str, Any], int]:
    """The key-value pairs of a file, those of its tokenizer included, lists as lists; and how many weights it holds.

    Raises:
        BadRequest: the file is missing, is not GGUF, or ends before its last tensor.
        Unsupported: the package `gguf` is not installed.
    """
    with _reading(path) as reader:
        facts = {name: field.contents() for name, field in reader.fields.items() if not name.startswith("GGUF.")}
        return facts, sum(int(tensor.n_elements) for tensor in reader.tensors)


def write_half(source: Path, target: Path, told: Told = lambda done, total: None) -> None:
    """Write the weights of `source` to `target` as float16, vectors as float32, with the same metadata.

    Raises:
        BadRequest, Unsupported: as `described`; a tensor in a format that cannot be dequantised.
        OSError: the disk is full; remove what was written.
    """
    with _reading(source) as reader:
        import gguf

        writer = gguf.GGUFWriter(target, arch=reader.fields["general.architecture"].contents())
        for name, field in reader.fields.items():
            if name == "general.file_type":
                writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
            elif name != "general.architecture" and not name.startswith("GGUF."):
                writer.add_key_value(name, field.contents(), field.types[0], field.types[1] if len(field.types) > 1 else None)
        for tensor in reader.tensors:
            writer.add_tensor_info(
                tensor.name, _shape(tensor), np.dtype(_dtype(tensor)), int(np.prod(_shape(tensor))) * _dtype(tensor)().nbytes
            )
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        try:
            for done, tensor in enumerate(reader.tensors, start=1):
                writer.write_tensor_data(_floats(tensor).astype(_dtype(tensor)))
                told(done, len(reader.tensors))
        finally:
            writer.close()


def _shape(tensor: Any) -> list[int]:
    """Slowest axis first, as numpy counts; the file counts the other way."""
    return [int(size) for size in reversed(tensor.shape)]


def _dtype(tensor: Any) -> type[np.float16] | type[np.float32]:
    return np.float16 if len(tensor.shape) > 1 else np.float32


def _floats(tensor: Any) -> np.ndarray:
    import gguf

    try:
        return gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    except NotImplementedError as error:
        raise Unsupported(f"tensor {tensor.name} is stored as {tensor.tensor_type.name}, which cannot be dequantised here") from error


@contextmanager
def _reading(path: Path) -> Iterator[Any]:
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from error
    if magic != MAGIC:
        raise BadRequest(f"{path} is not a GGUF file: it begins with {magic!r}, not with {MAGIC!r}")
    try:
        import gguf
    except ModuleNotFoundError as error:
        raise Unsupported("reading GGUF needs the package gguf: pip install 'draftproof[cpu]'") from error
    try:
        reader = gguf.GGUFReader(path)
        ends = max((int(tensor.data_offset) + int(tensor.n_bytes) for tensor in reader.tensors), default=0)
        whole = ends <= path.stat().st_size and "general.architecture" in reader.fields
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise BadRequest(f"{path} is a damaged or truncated GGUF file; fetch it again") from error
    if not whole:
        raise BadRequest(f"{path} is a damaged or truncated GGUF file; fetch it again")
    try:
        yield reader
    except UnicodeDecodeError as error:
        raise BadRequest(f"{path} is a damaged or truncated GGUF file; fetch it again") from error
