"""A GGUF file made ready once, whole or not at all."""

import errno
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.models import imported as module
from draftproof.models.imported import default_cache, imported
from draftproof.models.tiny import write_tiny_gguf


def files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def test_a_file_is_imported_once_and_found_by_its_content(tmp_path: Path, tiny_gguf: Path) -> None:
    told: list[str] = []
    first = imported(tiny_gguf, cache=tmp_path / "cache", told=lambda what, done, total: told.append(what))
    assert {"metadata.json", "openvino_model.bin", "openvino_model.xml", "openvino_tokenizer.xml"} <= set(files(first))
    assert not [name for name in files(first) if name.endswith(".gguf")]
    assert json.loads((first / "metadata.json").read_text())["llama.context_length"] == 512
    assert set(told) == {"dequantising", "importing"}
    shutil.copy(tiny_gguf, tmp_path / "copy.gguf")
    told.clear()
    assert imported(tmp_path / "copy.gguf", cache=tmp_path / "cache", told=lambda what, done, total: told.append(what)) == first
    assert told == []
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [first.name]


def test_another_content_is_another_folder(tmp_path: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_import", lambda half, source: None)
    other = write_tiny_gguf(tmp_path / "other.gguf", seed=1)
    assert imported(other, cache=tmp_path / "cache") != imported(tiny_gguf, cache=tmp_path / "cache")


@pytest.mark.parametrize(
    ("failing", "error", "raised", "sentence"),
    [
        ("write_half", OSError(errno.ENOSPC, "No space left on device"), Unavailable, "cannot keep .*: No space left on device; free room"),
        ("_import", OSError(errno.EIO, "Input/output error"), Unavailable, "cannot keep .*: Input/output error"),
        ("_import", KeyboardInterrupt("stop"), KeyboardInterrupt, "stop"),
        ("_import", Unsupported("cannot"), Unsupported, "cannot"),
    ],
)
def test_a_failure_leaves_nothing(
    tmp_path: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch, failing: str, error: BaseException, raised: type, sentence: str
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(module, failing, fail)
    with pytest.raises(raised, match=sentence):
        imported(tiny_gguf, cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_full_disk_is_seen_before_anything_is_written(tmp_path: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))
    with pytest.raises(Unavailable, match=r"cannot keep .*: \d+ MB are needed and 0 MB are free"):
        imported(tiny_gguf, cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_cache_that_cannot_be_made_is_named(tmp_path: Path, tiny_gguf: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match=r"cannot keep the imported model in .*file/cache: Not a directory"):
        imported(tiny_gguf, cache=tmp_path / "file" / "cache")


def test_an_architecture_that_cannot_be_imported_is_refused_in_a_sentence(tmp_path: Path, tiny_gguf: Path) -> None:
    strange = tmp_path / "strange.gguf"
    strange.write_bytes(tiny_gguf.read_bytes().replace(b"llama", b"camel"))
    with pytest.raises(Unsupported, match=r"OpenVINO cannot import .*strange\.gguf: .*; try --backend hf"):
        imported(strange, cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_a_killed_process_left_is_removed_when_it_is_old(tmp_path: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_import", lambda half, source: None)
    old, new = tmp_path / "partial-old", tmp_path / "partial-new"
    old.mkdir()
    new.mkdir()
    os.utime(old, (time.time() - 2 * module.ABANDONED_S,) * 2)
    imported(tiny_gguf, cache=tmp_path)
    assert not old.exists()
    assert new.exists()


def test_a_second_process_at_the_same_work_is_welcome(tmp_path: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def first_is_faster(half: Path, source: Path) -> None:
        place = tmp_path / f"{module._content_hash(tiny_gguf)}-{module.LAYOUT}"
        place.mkdir()
        (place / "metadata.json").write_text("{}")

    monkeypatch.setattr(module, "_import", first_is_faster)
    assert (imported(tiny_gguf, cache=tmp_path) / "metadata.json").read_text() == "{}"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="No such file"):
        imported(tmp_path / "none.gguf", cache=tmp_path)


def test_the_default_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "draftproof"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache() == Path.home() / ".cache/draftproof"
