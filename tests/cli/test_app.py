"""What every verb has in common: help, version, streams, colour, encoding, crashes."""

import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from draftproof import __version__
from draftproof.cli import app, main
from draftproof.errors import AddressReused, BadDraft, BadLaw, BadRequest, Unsupported
from draftproof.report.verdicts import Exit

from .conftest import Command

PROGRAM = [sys.executable, "-W", "error", "-m", "draftproof"]
EXAMPLE = ["explain", "--target", "0.2,0.5,0.3", "--draft", "0.5,0.3,0.2"]


def environment(**changes: str) -> dict[str, str]:
    """The environment without what forces or forbids colour, then changed."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING")}
    return {**kept, "TERM": "xterm-256color", **changes}


def on_a_terminal(*arguments: str, columns: int = 80, **changes: str) -> str:
    """Everything the program writes when stdout and stderr are one terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdout=theirs, stderr=theirs, stdin=theirs, env=environment(COLUMNS=str(columns), **changes)
    ) as running:
        os.close(theirs)
        seen, deadline = b"", time.monotonic() + 120
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            seen += piece
        assert running.wait(timeout=60) == 0, seen
    os.close(ours)
    return seen.decode()


def in_a_pipe(*arguments: str, **changes: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, env=environment(**changes), check=False, timeout=120)


def test_the_version(run: Command) -> None:
    assert run("--version") == (0, f"draftproof {__version__}\n", "")


@pytest.mark.parametrize("verb", [(), ("explain",), ("rules",), ("prove",), ("prove", "rules")], ids=" ".join)
def test_help_teaches_by_example_within_80_columns(run: Command, verb: tuple[str, ...]) -> None:
    done = run(*verb, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.count(f"draftproof {' '.join(verb)}".strip()) >= 2
    assert "..." not in done.out.replace("[ARGS]...", "").replace(",...", "")
    assert max(map(len, done.out.splitlines())) <= 80
    assert run(*verb, "-h") == done


def test_no_verb_shows_the_help_and_is_a_usage_error(run: Command) -> None:
    done = run()
    assert done.code == 2
    assert "Commands:" in done.out + done.err


def test_colour_is_for_terminals() -> None:
    for arguments in (EXAMPLE, ["rules"]):
        assert "\x1b[32m" in on_a_terminal(*arguments)
        assert b"\x1b" not in in_a_pipe(*arguments).stdout


def test_no_color_means_no_escape_codes() -> None:
    assert "\x1b" not in on_a_terminal(*EXAMPLE, NO_COLOR="1")


@pytest.mark.parametrize("columns", [80, 120])
def test_nothing_is_wider_than_the_terminal(columns: int) -> None:
    for arguments in (EXAMPLE, ["rules"], ["prove", "rules", "--rule", "rejection", "--pairs", "2", "--loop-pairs", "1", "--no-progress"]):
        lines = on_a_terminal(*arguments, columns=columns, NO_COLOR="1").splitlines()
        assert max(map(len, lines)) <= columns


def test_progress_is_drawn_on_a_terminal_and_taken_away() -> None:
    arguments = ["prove", "rules", "--rule", "rejection", "--pairs", "2", "--loop-pairs", "1", "--length", "2"]
    seen = on_a_terminal(*arguments)
    assert "proving rejection" in seen
    assert seen.rstrip().endswith("speed were not tested.")
    assert "proving rejection" not in on_a_terminal(*arguments, "--no-progress")


def test_an_output_without_these_characters_gets_others() -> None:
    done = in_a_pipe(*EXAMPLE, "--tokens", "é,b,c", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"\\xe9" in done.stdout
    assert b"###xxx" in done.stdout
    assert "██××".encode() in in_a_pipe(*EXAMPLE).stdout


def test_a_reader_that_goes_away_is_no_crash() -> None:
    running = subprocess.Popen([*PROGRAM, "rules"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert running.stdout is not None
    running.stdout.close()
    _, err = running.communicate(timeout=60)
    assert b"draftproof itself" not in err
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadLaw("a"), 2),
        (BadDraft("a"), 2),
        (BadRequest("a"), 2),
        (Unsupported("a"), 2),
        (AddressReused("a"), 70),
        (ValueError("a"), 70),
        (KeyboardInterrupt(), 130),
        (SystemExit("text"), 1),
        (SystemExit(3), 3),
    ],
    ids=repr,
)
def test_every_way_to_end_has_its_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    def stop(**wanted: object) -> None:
        raise error

    monkeypatch.setattr(app, "build", lambda wishes: stop)
    assert main(["rules"]) == code
    assert capsys.readouterr().out == ""


def test_the_codes_are_those_of_the_reports() -> None:
    assert (app.USAGE, app.CRASH, app.INTERRUPTED) == (Exit.USAGE, Exit.CRASH, Exit.INTERRUPTED)


def in_a_shell(ending: str) -> subprocess.CompletedProcess[str]:
    """The list of rules, with what a shell makes of its output."""
    line = f"set -o pipefail; {shlex.join(PROGRAM)} rules {ending}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment(), check=False, timeout=120)


def test_a_reader_that_goes_away_ends_it_in_silence() -> None:
    done = in_a_shell("| true")
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_sentence() -> None:
    done = in_a_shell("> /dev/full")
    assert (done.returncode, done.stderr) == (2, "draftproof: the result could not be written: No space left on device\n")


def test_a_closed_stdout_is_one_sentence() -> None:
    done = in_a_shell(">&-")
    assert done.returncode == 2
    assert done.stderr.startswith("draftproof: stdout is closed")
    assert done.stderr.count("\n") == 1
