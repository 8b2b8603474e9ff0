"""Answers on disk: a killed audit goes on where it was, and a file that cannot be trusted is refused with its line."""

from pathlib import Path

import numpy as np
import pytest

from draftproof.audit.engines.protocol import Answer
from draftproof.audit.store import Events
from draftproof.errors import BadRequest

AUDIT = {"engine": "one", "alpha": 0.001}
ANSWERS = [
    Answer(0, (1, 2, 3), "abc", 4, 2, ((2, 1), (2, 1)), np.array([[0.1, 0.9], [1 / 3, 2 / 3], [0, 1]]), (-0.1, -0.2, -0.3)),
    Answer(1, (5,), lost="the connection broke"),
]


def same(one: Answer, other: Answer) -> bool:
    laws = (one.laws is None) == (other.laws is None) and (one.laws is None or np.array_equal(one.laws, other.laws))
    return laws and {**vars(one), "laws": None} == {**vars(other), "laws": None}


def written(path: Path) -> Path:
    Events(path, AUDIT).add("plain", ANSWERS)
    return path


def test_what_was_kept_comes_back_to_the_bit(tmp_path: Path) -> None:
    known = Events(written(tmp_path / "run" / "events.jsonl"), AUDIT).known
    assert set(known) == {("plain", 0), ("plain", 1)}
    assert all(same(known["plain", answer.number], answer) for answer in ANSWERS)


def test_a_line_that_an_interruption_cut_is_forgotten(tmp_path: Path) -> None:
    """Wherever it was cut; and what is added then stands in a line of its own."""
    whole = written(tmp_path / "events.jsonl").read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in (last, last + 1, last + 20, len(whole) - 1):
        path = tmp_path / f"{end}.jsonl"
        path.write_bytes(whole[:end])
        events = Events(path, AUDIT)
        assert set(events.known) == {("plain", 0)}
        events.add("plain", ANSWERS[1:])
        assert path.read_bytes() == whole


def test_a_first_line_that_was_cut_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"kind": "audit ev')
    assert not Events(path, AUDIT).known
    assert Events(path, AUDIT).path.read_bytes().count(b"\n") == 1


def test_the_file_of_another_audit_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "events.jsonl")
    before = path.read_bytes()
    with pytest.raises(BadRequest, match="another audit"):
        Events(path, AUDIT | {"alpha": 0.01})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (b"{]", "line 3 of .* is not JSON"),
        (b'{"condition": "plain"}', "line 3 of .* is no answer"),
        (b"[1, 2]", "line 3 of .* is no answer"),
        (b'{"condition": "plain", "number": "x", "tokens": [1]}', "line 3 of .* is no answer"),
        (b"\xff\xfe", "line 3 of .* is not JSON"),
    ],
)
def test_a_damaged_line_is_refused_with_its_number(tmp_path: Path, damage: bytes, told: str) -> None:
    path = written(tmp_path / "events.jsonl")
    lines = path.read_bytes().splitlines()
    lines[2] = damage
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(BadRequest, match=told):
        Events(path, AUDIT)


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRequest, match="give a"):
        Events(tmp_path / "file" / "events.jsonl", AUDIT)


def test_a_folder_in_its_place_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="cannot be read"):
        Events(tmp_path, AUDIT)
