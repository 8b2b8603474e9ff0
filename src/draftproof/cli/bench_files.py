"""The files that a sitting writes: never over raw runs, over what was read, or over what is not ours."""

import os
import re
from pathlib import Path

from draftproof.errors import BadRequest

RUNS, DOCUMENT, PAGE, FIGURES = "runs.jsonl", "run.json", "report.html", "figures"
"""What lies in the folder of a sitting."""

OUR_PAGE = re.compile(rb'<meta name="generator" content="draftproof bench">')
OUR_DOCUMENT = re.compile(rb'\A\s*\{\s*"kind"\s*:\s*"bench"')
"""How a file of ours is known by its beginning."""

BEGINNING = 4096
"""Bytes of it."""


def check_files(*, out: Path | None, html: Path | None, of_file: Path | None, prompts: Path | None) -> None:
    """Return if nothing is lost by what will be written.

    Args:
        out: the folder of the sitting.
        html: a page.
        of_file: raw runs that are read.
        prompts: that are read.

    Raises:
        BadRequest: naming the file that would be lost, or that cannot be written.
    """
    if html and not html.parent.is_dir():
        raise BadRequest(f"cannot write {html}: there is no folder {html.parent}")
    taken = {"--from": of_file, "--prompts": prompts, "the raw runs": out and out / RUNS, "the document of --out": out and out / DOCUMENT}
    for what, file in taken.items():
        if html and file and _same(html, file):
            raise BadRequest(f"--html and {what} would be one file, {html}; give the page a name of its own")
    for page in filter(None, (html, out and out / PAGE)):
        _check_ours(page, OUR_PAGE)
    if out:
        _check_ours(out / DOCUMENT, OUR_DOCUMENT)
    if out and of_file:
        _check_runs(out / RUNS, of_file)


def _same(one: Path, other: Path) -> bool:
    """Whether they are one file, or will be when they are written."""
    return os.path.realpath(one) == os.path.realpath(other) or (one.exists() and other.exists() and one.samefile(other))


def _check_ours(file: Path, ours: re.Pattern[bytes]) -> None:
    """Return if the file can be written without a loss. An empty one holds nothing, and a device keeps nothing."""
    if file.is_dir():
        raise BadRequest(f"cannot write {file}: it is a folder; give a file in it")
    if not file.is_file():
        return
    try:
        with file.open("rb") as opened:
            beginning = opened.read(BEGINNING)
    except OSError as error:
        raise BadRequest(f"{file} is there and cannot be read ({error.strerror}); give another name, so that it is not lost") from error
    if beginning and not ours.search(beginning):
        raise BadRequest(f"{file} is there and was not written by draftproof bench; give another name, so that it is not lost")


def _check_runs(runs: Path, of_file: Path) -> None:
    """Return if no report of these runs would come to lie beside the runs of another sitting."""
    from draftproof.bench.store import digest

    if runs.exists() and digest(runs) != digest(of_file):
        raise BadRequest(f"{runs} holds the runs of another sitting, and its report would be replaced; give another folder")
