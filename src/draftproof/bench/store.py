"""The raw data of a sitting on disk: what was measured on what machine by what command, then a run a line.

The first line is the head, the last one the end; between them stand runs, and contenders that withdrew. A line is on disk before the next
run begins, so of a sitting that was killed nothing is lost but the run it was in: a last line that is not whole is left out. Names of
machines and of users are not kept, but the command is kept as it was typed.
"""

import hashlib
import importlib.metadata
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from draftproof import __version__
from draftproof.audit.logs.jsonlines import json_lines
from draftproof.bench.coherence import Ledger
from draftproof.bench.lines import content_of, numbers, run_of, text, texts, whole, withdrawn_of
from draftproof.bench.measure import Withdrawn
from draftproof.bench.run import Run
from draftproof.errors import BadRequest

KIND, VERSION = "bench runs", 1

PIECE = 2**20
"""Bytes that are looked at together."""

LIBRARIES = ("numpy", "scipy", "torch", "transformers", "openvino", "openvino-genai", "xllamacpp")


@dataclass(frozen=True)
class Machine:
    """What it was measured on, without its name.

    Attributes:
        processor: the model, as the system calls it.
        cores: that this process may use.
        memory: bytes.
        system: kernel and architecture.
    """

    processor: str
    cores: int
    memory: int
    system: str

    @classmethod
    def here(cls) -> "Machine":
        try:
            lines = Path("/proc/cpuinfo").read_text().splitlines()
        except OSError:
            lines = []
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        return cls(
            models[0] if models else platform.processor() or "unknown",
            len(os.sched_getaffinity(0)),
            os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            f"{platform.system()} {platform.release()}, {platform.machine()}",
        )


@dataclass(frozen=True)
class Head:
    """What is needed to measure it again.

    Attributes:
        command: as it was typed.
        started: in universal time.
        machine: it was measured on.
        versions: of all that could have a part in it, by name.
        load: the mean number of processes that ran or waited, over the last 1, 5 and 15 minutes: others should not have.
        settings: what else the reader should know, as (name, value).
    """

    command: str
    started: str
    machine: Machine
    versions: tuple[tuple[str, str], ...]
    load: tuple[float, float, float]
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def here(cls, command: str, settings: Sequence[tuple[str, str]] = ()) -> "Head":
        """Of this process, now. No library is imported for it."""
        libraries = [(name, found) for name in LIBRARIES if (found := _version(name))]
        versions = [("draftproof", __version__), ("Python", platform.python_version()), *libraries]
        return cls(command, _now(), Machine.here(), tuple(versions), os.getloadavg(), tuple(settings))


@dataclass(frozen=True)
class End:
    """How a sitting ended.

    Attributes:
        ended: in universal time.
        load: as in the head. What was measured is itself in it.
    """

    ended: str
    load: tuple[float, float, float]


@dataclass(frozen=True)
class Recorded:
    """What a file holds.

    Attributes:
        head: its first line.
        runs: in the order in which they were measured.
        withdrawn: contenders that could not go on.
        end: None if the sitting did not come to its end.
        cut: True if the last line was not whole, and is left out.
    """

    head: Head
    runs: tuple[Run, ...]
    withdrawn: tuple[Withdrawn, ...]
    end: End | None
    cut: bool = False


class RunFile:
    """The file of one sitting; it is only ever added to.

    Args:
        path: of the file, which must not be there yet.
        head: its first line.

    Raises:
        BadRequest: the file is there, or cannot be written.
    """

    def __init__(self, path: Path, head: Head) -> None:
        self.path = path
        if path.exists():
            raise BadRequest(f"{path} is there already; give another name, so that no measurement is lost")
        self._append({"kind": KIND, "version": VERSION, **asdict(head)})

    def add(self, measured: Run | Withdrawn) -> None:
        """Keep it; when this returns it is on disk."""
        self._append(content_of(measured))

    def end(self) -> None:
        """Note that the sitting came to its end."""
        self._append({"end": asdict(End(_now(), os.getloadavg()))})

    def _append(self, content: dict[str, Any]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(json.dumps(content).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadRequest(f"runs cannot be kept in {self.path} ({error.strerror}); give a file that can be written") from error


def read(path: Path) -> Recorded:
    """What a file holds, but for a last line that was never finished.

    Raises:
        BadRequest: naming the line that is damaged, is none of ours, or tells of what cannot have happened beside the lines before it.
    """
    head: Head | None = None
    end: End | None = None
    runs: list[Run] = []
    withdrawn: list[Withdrawn] = []
    ledger, last = Ledger(), _last_whole_line(path)
    for number, content in json_lines(path):
        if end is not None:
            raise BadRequest(f"line {number} of {path} stands after the end of the sitting; a file holds one, so remove that line")
        try:
            if head is None:
                head = _head(content)
            elif "run" in content:
                runs.append(run_of(content["run"]))
                ledger.enter(runs[-1])
            elif "withdrawn" in content:
                withdrawn.append(withdrawn_of(content["withdrawn"]))
            else:
                end = End(text(content["end"]["ended"]), _load(content["end"]["load"]))
        except (KeyError, TypeError, ValueError) as error:
            what = "the head of a file of runs" if head is None else "a run, a withdrawal or an end"
            raise BadRequest(f"line {number} of {path} is not {what} ({_reason(error)}); measure again, or remove that line") from error
        if number == last:
            break
    if head is None:
        raise BadRequest(f"{path} is empty; give a file that draftproof bench wrote")
    return Recorded(head, tuple(runs), tuple(withdrawn), end, cut=bool(last))


def _last_whole_line(path: Path) -> int | None:
    """The number of the last line that ends with a line break, if another one begins after it; else None."""
    try:
        if not path.is_file():  # a device may never end
            return None
        with path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            if file.read() == b"\n":
                return None
            file.seek(0)
            return sum(piece.count(b"\n") for piece in iter(lambda: file.read(PIECE), b""))
    except OSError:  # an empty file, or one that cannot be read: whoever reads its lines says so
        return None


def digest(path: Path) -> str:
    """The SHA-256 of a file.

    Raises:
        BadRequest: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from error


def _head(content: dict[str, Any]) -> Head:
    if content.get("kind") != KIND:
        raise ValueError(f"its kind is not {KIND!r}")
    if content["version"] != VERSION:
        raise ValueError(f"its version is {content['version']!r:.40}, and this draftproof reads {VERSION}")
    machine = content["machine"]
    return Head(
        text(content["command"]),
        text(content["started"]),
        Machine(text(machine["processor"]), whole(machine["cores"]), whole(machine["memory"]), text(machine["system"])),
        texts(content["versions"]),
        _load(content["load"]),
        texts(content["settings"]),
    )


def _load(content: Any) -> tuple[float, float, float]:
    one, five, fifteen = numbers(content, 3)
    return one, five, fifteen


def _reason(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
