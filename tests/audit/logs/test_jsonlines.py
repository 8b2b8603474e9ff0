"""Lines of JSON: read one by one, in the memory of one, and refused by number where they are not what they should be."""

import gzip
import tracemalloc
from pathlib import Path

import pytest

from draftproof.audit.logs.jsonlines import LONGEST_LINE, json_lines
from draftproof.errors import BadRequest

GOOD = b'{"a": 1}\n'


def written(folder: Path, content: bytes) -> Path:
    path = folder / "log.jsonl"
    path.write_bytes(content)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(BadRequest) as refused:
        list(json_lines(path))
    message = str(refused.value)
    assert "\n" not in message
    assert len(message) < 400
    return message.replace(str(path), "FILE")


def test_objects_come_with_the_number_of_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"b": [2, {"c": null}]}')
    assert list(json_lines(path)) == [(1, {"a": 1}), (4, {"b": [2, {"c": None}]})]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert list(json_lines(written(tmp_path, b""))) == []


@pytest.mark.parametrize(
    ("line", "says"),
    {
        b"hello\n": "it is no JSON (Expecting value at character 1); write one whole JSON object a line, as UTF-8",
        b"{'a': 1}\n": "it is no JSON (Expecting property name enclosed in double quotes at character 2)",
        b"[1, 2]\n": "it holds a list; write one JSON object a line, with no list around them",
        b"7\n": "it holds a number; write",
        b"null\n": "it holds null; write",
        b'"a"\n': "it holds text; write",
        b"true\n": "it holds true or false; write",
        b'{"a": "\xff"}\n': "it is no JSON (byte 0xff at place 8 is not UTF-8)",
        b"\x00\x01\n": "it is no JSON (Expecting value at character 1)",
        b'{"a": {"b": 1, "b": 2}}\n': "the key 'b' comes twice in one object; keep one of the two",
        b'{"%(k)s": 1, "%(k)s": 2}\n' % {b"k": b"k" * 5000}: "comes twice in one object",
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n": "its lists and objects are nested too deeply",
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n": "its lists and objects are nested too deeply",
        b'{"a": ' + b"9" * 5000 + b"}\n": "it is no JSON (a number has too many digits)",
        b'{"a": 1, "b": [1, 2': "the file ends here without a line break and may have been cut off: remove this line",
        b'{"a": "\xc3': "the file ends here without a line break and may have been cut off",
    }.items(),
    ids=lambda value: value[:24].decode("latin1") if isinstance(value, bytes) else None,
)
def test_a_line_that_is_no_object_is_refused_by_its_number(tmp_path: Path, line: bytes, says: str) -> None:
    message = refusal(written(tmp_path, GOOD + b"\n" + line))
    assert message.startswith("line 3 of FILE: ")
    assert says in message


def test_lines_before_a_wrong_one_are_given(tmp_path: Path) -> None:
    lines = json_lines(written(tmp_path, GOOD + b"no\n"))
    assert next(lines) == (1, {"a": 1})
    with pytest.raises(BadRequest, match="line 2"):
        next(lines)


@pytest.mark.parametrize(
    ("content", "kind"),
    [(gzip.compress(GOOD, mtime=0), "gzip"), (b"PK\x03\x04abc", "zip"), (b"PAR1\x15", "Parquet"), (b"\x28\xb5\x2f\xfd\n", "zstd")],
    ids=["gzip", "zip", "Parquet", "zstd"],
)
def test_files_that_are_no_text_are_known_by_their_start(tmp_path: Path, content: bytes, kind: str) -> None:
    assert f"line 1 of FILE: it begins a {kind} file; unpack it to text" in refusal(written(tmp_path, content))


def test_files_that_cannot_be_opened_are_refused(tmp_path: Path) -> None:
    assert "FILE cannot be read (No such file or directory)" in refusal(tmp_path / "nothing")
    assert "FILE cannot be read (Is a directory)" in refusal(tmp_path)


def test_the_longest_line_is_read(tmp_path: Path) -> None:
    start, end = b'{"a": "', b'"}\n'
    assert len(next(json_lines(written(tmp_path, start + b"x" * (LONGEST_LINE - len(start) - len(end)) + end)))[1]["a"]) > 2**23
    message = refusal(written(tmp_path, start + b"x" * (LONGEST_LINE - len(start) - len(end) + 1) + end))
    assert message == "line 1 of FILE: it is longer than 16 MiB; write one short JSON object a line"


def test_a_line_without_end_takes_the_memory_of_the_longest_line(tmp_path: Path) -> None:
    path = tmp_path / "endless"
    with path.open("wb") as file:
        file.write(GOOD + b'{"output_ids": [')
        file.seek(4 * 2**30)  # nothing is stored of what is skipped
        file.write(b"]}\n")
    tracemalloc.start()
    message = refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "line 2 of FILE: it is longer than 16 MiB" in message
    assert peak < 3 * LONGEST_LINE
