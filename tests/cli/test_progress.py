"""Signs of life: plain lines in a log, none when not wanted."""

import time

import pytest

from draftproof.cli import progress as module
from draftproof.cli.progress import progress


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0.01)
    seen = ""
    with progress(5, wanted=True) as shown:
        shown.at(2, "proving block")
        with shown.paused():
            pass
        deadline = time.monotonic() + 30
        while "block" not in seen and time.monotonic() < deadline:
            time.sleep(0.01)
            seen += capsys.readouterr().err
    assert "proving block (2 of 5), 0 s so far\n" in seen
    capsys.readouterr()
    time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


def test_nothing_is_said_before_the_first_interval(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(1, wanted=True) as shown:
        shown.at(1, "block")
    assert capsys.readouterr() == ("", "")


def test_silence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0.001)
    with progress(1, wanted=False) as shown:
        shown.at(1, "block")
        with shown.paused():
            time.sleep(0.05)
    assert capsys.readouterr() == ("", "")
