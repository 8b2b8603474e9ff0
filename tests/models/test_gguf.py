"""GGUF files: what they say, and the same weights in half precision."""

from pathlib import Path

import gguf
import numpy as np
import pytest

from draftproof.errors import BadRequest, Unsupported
from draftproof.models.gguf import described, write_half

Q4_1 = gguf.GGMLQuantizationType.Q4_1


def write(path: Path, weights: np.ndarray, quantisation: gguf.GGMLQuantizationType | None = None) -> Path:
    writer = gguf.GGUFWriter(path, arch="llama")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_1)
    writer.add_context_length(77)
    writer.add_token_list(["a", "b"])
    if quantisation is None:
        writer.add_tensor("blk.0.weight", weights)
    else:
        writer.add_tensor("blk.0.weight", gguf.quants.quantize(weights, quantisation), raw_dtype=quantisation)
    writer.add_tensor("norm.weight", weights[0])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((4, 64)).astype(np.float32)


def test_metadata_comes_back_as_values(tmp_path: Path, weights: np.ndarray) -> None:
    facts, weights_held = described(write(tmp_path / "a.gguf", weights))
    assert facts["general.architecture"] == "llama"
    assert facts["llama.context_length"] == 77
    assert facts["tokenizer.ggml.tokens"] == ["a", "b"]
    assert weights_held == 4 * 64 + 64
    assert not [name for name in facts if name.startswith("GGUF.")]


def test_half_precision_holds_what_the_quantised_file_means(tmp_path: Path, weights: np.ndarray) -> None:
    source, told = write(tmp_path / "a.gguf", weights, Q4_1), []
    write_half(source, tmp_path / "half.gguf", lambda done, total: told.append((done, total)))
    meant = gguf.quants.dequantize(gguf.quants.quantize(weights, Q4_1), Q4_1)
    assert np.abs(meant - weights).max() > 0.01  # 4 bits lose something
    matrix, vector = gguf.GGUFReader(tmp_path / "half.gguf").tensors
    assert (matrix.tensor_type.name, vector.tensor_type.name) == ("F16", "F32")
    assert np.array_equal(matrix.data, meant.astype(np.float16))
    assert np.array_equal(vector.data, weights[0])
    assert described(tmp_path / "half.gguf")[0] == described(source)[0] | {"general.file_type": int(gguf.LlamaFileType.MOSTLY_F16)}
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_truncated_file_is_refused_in_a_sentence(tmp_path: Path, weights: np.ndarray, kept: float) -> None:
    whole = write(tmp_path / "a.gguf", weights).read_bytes()
    (tmp_path / "b.gguf").write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(BadRequest, match=r"b\.gguf is a damaged or truncated GGUF file; fetch it again"):
        described(tmp_path / "b.gguf")


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(BadRequest, match="is not a GGUF file"):
        described(tmp_path / "a.gguf")
    with pytest.raises(BadRequest, match=r"cannot read .*: No such file"):
        described(tmp_path / "missing.gguf")
    with pytest.raises(BadRequest, match=r"cannot read .*: Is a directory"):
        described(tmp_path)


def test_a_format_that_cannot_be_dequantised_is_named(tmp_path: Path, weights: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise NotImplementedError

    source = write(tmp_path / "a.gguf", weights, Q4_1)
    monkeypatch.setattr(gguf.quants, "dequantize", refuse)
    with pytest.raises(Unsupported, match=r"tensor blk\.0\.weight is stored as Q4_1, which cannot be dequantised here"):
        write_half(source, tmp_path / "half.gguf")
