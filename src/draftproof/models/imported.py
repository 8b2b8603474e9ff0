"""A GGUF file made ready for OpenVINO once, and kept under the hash of its content.

The work is done beside the place where the result will stand and moved there whole, so a full disk, a killed process or a
second process at the same work leaves nothing half-written.
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.models.gguf import described, write_half

LAYOUT = 1
"""Raised when what is written changes, so that folders of older versions are made anew."""

METADATA = "metadata.json"

ROOM = 6
"""Bytes on disk for each weight while one is imported: it stands there in half precision and in float32."""

ABANDONED_S = 3600
"""A partial folder of this age belongs to a process that was killed."""

Told = Callable[[str, int, int], None]
"""(what is done, parts done, parts in all)"""


def default_cache() -> Path:
    """Where imported models are kept: `draftproof` in the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "draftproof"


def imported(source: Path, *, cache: Path | None = None, told: Told = lambda what, done, total: None) -> Path:
    """The folder that holds `source` as an OpenVINO model with its tokenizer; made if it is not there.

    Raises:
        BadRequest: the file is missing, damaged or not GGUF.
        Unsupported: an architecture that OpenVINO cannot import, or a package that is not installed.
        Unavailable: the cache folder cannot be written, or the disk is full.
    """
    place = (cache or default_cache()) / f"{_content_hash(source)}-{LAYOUT}"
    with contextlib.suppress(OSError):  # a place that cannot be looked at is named below
        if (place / METADATA).is_file():
            return place
    facts, weights = described(source)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(place.parent)
        _require_room(place.parent, weights * ROOM)
        with TemporaryDirectory(prefix="partial-", dir=place.parent, ignore_cleanup_errors=True) as name:
            partial = Path(name)
            half = partial / "half.gguf"
            write_half(source, half, lambda done, total: told("dequantising", done, total))
            told("importing", 0, 1)
            _import(half, source)
            (partial / METADATA).write_text(json.dumps(facts))
            _move(partial, place)
            told("importing", 1, 1)
    except OSError as error:
        raise Unavailable(
            f"cannot keep the imported model in {place.parent}: {error.strerror}; free room there or name another folder"
        ) from error
    return place


def _require_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{needed / 1e6:.0f} MB are needed and {free / 1e6:.0f} MB are free")


def _import(half: Path, source: Path) -> None:
    run = subprocess.run([sys.executable, "-m", "draftproof.models.importing", str(half)], capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return
    if "No module named" in run.stderr:
        raise Unsupported("importing GGUF needs OpenVINO GenAI: pip install 'draftproof[cpu]'")
    if "No space left" in run.stderr or "iostream error" in run.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    reason = (run.stderr.strip() or f"exit code {run.returncode}").splitlines()[-1]
    raise Unsupported(f"OpenVINO cannot import {source}: {reason}; try --backend hf")


def _move(partial: Path, place: Path) -> None:
    try:
        partial.rename(place)
    except OSError:
        if (place / METADATA).is_file():
            return  # another process was faster, and its result is the same
        shutil.rmtree(place)  # what stood there was no whole model
        partial.rename(place)


def _content_hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:24]
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from error


def _remove_abandoned(folder: Path) -> None:
    for partial in folder.glob("partial-*"):
        if time.time() - partial.stat().st_mtime > ABANDONED_S:
            shutil.rmtree(partial, ignore_errors=True)
