"""Files of records: streamed, and refused by line before anything is judged."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from draftproof.audit.logs.records import read
from draftproof.errors import BadRequest

LEAST: dict[str, Any] = {"prompt_ids": [3, 1], "output_ids": [4, 1, 5], "params": {"temperature": 0.7}}


def written(folder: Path, *lines: str) -> Path:
    path = folder / "records.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(BadRequest) as refused:
        list(read(path, **options))
    return str(refused.value).replace(str(path), "FILE")


def test_records_come_in_order_and_blank_lines_are_no_records(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(LEAST), "", json.dumps({**LEAST, "id": "b", "log_probs": [-1, -1, -1]}))
    assert [record.id for record in read(path)] == [None, "b"]


@pytest.mark.parametrize("lines", [(), ("", "  ")], ids=["no line", "blank lines"])
def test_a_file_without_records_is_refused(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert refusal(written(tmp_path, *lines)) == "FILE holds no record; write one JSON object a line"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"prompt_ids": [1], "output_ids": [NaN], "params": {}}', "line 2 of FILE: output_ids[0] is nan; it must be a token id"),
        (
            '{"prompt_ids": [1], "output_ids": [1], "params": {}, "log_probs": [Infinity]}',
            "line 2 of FILE: log_probs[0] is inf; it must be",
        ),
        ('{"prompt_ids": [1], "output_ids": [1]}', "line 2 of FILE: the field params is missing"),
        ('{"prompt_ids": [1], "output_ids": [1', "line 2 of FILE: it is no JSON"),
        ('{"prompt_ids": [1], "prompt_ids": [1]}', "line 2 of FILE: the key 'prompt_ids' comes twice"),
    ],
    ids=["NaN", "Infinity", "missing field", "cut off", "key twice"],
)
def test_whatever_is_wrong_with_a_record_its_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    assert says in refusal(written(tmp_path, json.dumps(LEAST), line, json.dumps(LEAST)))


def test_an_impossible_token_may_be_written_as_python_writes_it(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({**LEAST, "reference_log_probs": [-1, float("-inf"), 0]}))
    assert next(read(path)).reference_log_probs == (-1.0, float("-inf"), 0.0)


def test_both_lines_of_an_id_that_comes_twice_are_named(tmp_path: Path) -> None:
    names = ["a", None, "b", None, "a"]
    path = written(tmp_path, *(json.dumps({**LEAST, "id": name}) for name in names))
    assert refusal(path) == "line 5 of FILE: its id 'a' is that of line 1 too; remove one, or give it another id"


def test_tokens_are_held_against_the_vocabulary_where_it_is_known(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(LEAST))
    assert list(read(path, vocab=6)) == list(read(path))
    assert refusal(path, vocab=5) == (
        "line 1 of FILE: output_ids[2] is 5, but the vocabulary has 5 tokens; this may be another tokenizer's"
    )


def test_a_line_that_is_no_record_is_named_however_many_came_before_it(tmp_path: Path) -> None:
    path = written(tmp_path, *[json.dumps(LEAST)] * 50, "{")
    records = read(path)
    assert all(next(records).output_ids for _ in range(50))
    assert refusal(path).startswith("line 51 of FILE: it is no JSON")


def test_a_file_takes_the_memory_of_one_record(tmp_path: Path) -> None:
    record = json.dumps({**LEAST, "output_ids": list(range(300, 1300)), "log_probs": [-0.125] * 1000})
    path = written(tmp_path, *[record] * 100)
    tracemalloc.start()
    assert sum(1 for _ in read(path)) == 100
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * len(record)
