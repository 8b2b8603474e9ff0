"""Files that are configurations, and files that are not."""

from pathlib import Path

import pytest

from draftproof.errors import BadRequest
from draftproof.lint.source import LIMIT, read


def test_a_file_is_its_text_without_the_mark_of_its_encoding(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b'\xef\xbb\xbf{"a": "\xc3\xa9"}')
    assert read(str(file)) == '{"a": "é"}'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\nb\0c", "c.json, line 2: there is a zero byte, so this is a binary file"),
        (b'{\n"a": "\xff"}', "c.json, line 2: byte 9 is not UTF-8"),
        (b" " * (LIMIT + 1), "c.json is larger than 1,048,576 bytes"),
    ],
)
def test_what_is_no_text_is_refused_in_a_sentence(tmp_path: Path, data: bytes, message: str) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(data)
    with pytest.raises(BadRequest) as refused:
        read(str(file))
    assert message in str(refused.value)


def test_the_largest_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b" " * LIMIT)
    assert len(read(str(file))) == LIMIT


@pytest.mark.parametrize(("name", "reason"), [("missing", "No such file"), (".", "Is a directory"), ("a\0b", "null byte")])
def test_what_cannot_be_opened_is_refused_in_a_sentence(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(BadRequest, match=f"cannot read .*{reason}.*; give the path"):
        read(str(tmp_path / name))
