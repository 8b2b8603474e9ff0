"""Finished results in a file, a line each, so that an interrupted run goes on where it was."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from draftproof.errors import BadRequest
from draftproof.proof.generation.result import Result


def read(path: Path) -> dict[str, Result]:
    """The results in the file by digest; none if there is no file. A last line that was cut off is passed over.

    Raises:
        BadRequest: any other line is no result.
    """
    if not path.exists():
        return {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path} holds no results ({error}); give the file of an earlier run, or a new name") from error
    results: dict[str, Result] = {}
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            result = Result.of(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number == len(lines):
                break
            raise BadRequest(f"line {number} of {path} is no result ({error}); give the file of an earlier run, or a new name") from error
        results[result.digest] = result
    return results


def append(path: Path, results: Iterable[Result]) -> None:
    """Add results at the end; when this returns they are on disk, each on a line of its own.

    Raises:
        BadRequest: the file cannot be written.
    """
    try:
        _cut_after_last_line(path)
        with path.open("ab") as file:
            for result in results:
                file.write(json.dumps(result.content()).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadRequest(f"results cannot be kept in {path} ({error.strerror}); give a file that can be written") from error


def _cut_after_last_line(path: Path) -> None:
    """Take away a line that an interruption left unfinished."""
    if path.exists():
        text = path.read_bytes()
        if not text.endswith(b"\n"):
            os.truncate(path, text.rfind(b"\n") + 1)
