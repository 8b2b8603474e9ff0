"""Workloads: those that are shipped say what they promise, and a file of prompts is read whole or refused by its line."""

import dataclasses
import json
from pathlib import Path

import pytest

from draftproof.bench.workloads import LONGEST_FILE, LONGEST_NAME, MOST_PROMPTS, SHIPPED, WORKLOADS, Prompt, Workload, own, select, shipped
from draftproof.errors import BadRequest

CONTEXT = 8192
"""Tokens that the smallest model in use reads."""

ANSWER = 1024

TEMPLATE = 64
"""Tokens that the template of a chat adds at most."""


def written(folder: Path, content: bytes | str, name: str = "mine.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(BadRequest) as refused:
        own(path)
    message = str(refused.value)
    assert "\n" not in message
    assert len(message.replace(str(path), "FILE")) < 300
    return message.replace(str(path), "FILE")


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_shipped_workload_has_ten_prompts_of_its_own(name: str) -> None:
    workload = shipped(name)
    assert (workload.name, len(workload.prompts)) == (name, 10)
    texts = [prompt.text for other in WORKLOADS for prompt in shipped(other).prompts]
    assert all(texts.count(prompt.text) == 1 for prompt in workload.prompts)
    assert all(prompt.text == prompt.text.strip() for prompt in workload.prompts)


def test_every_file_of_prompts_belongs_to_a_workload() -> None:
    folder = Path(__file__).parents[2] / "src" / "draftproof" / "bench" / "prompts"
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.jsonl" for name in WORKLOADS)


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_shipped_prompt_fits_with_its_answer_whatever_the_tokenizer(name: str) -> None:
    """A token is at least a byte."""
    assert all(len(prompt.text.encode()) + TEMPLATE + ANSWER <= CONTEXT for prompt in shipped(name).prompts)


def test_long_context_is_longer_than_the_others() -> None:
    others = [prompt.text for name in WORKLOADS if name != "long_context" for prompt in shipped(name).prompts]
    assert min(len(prompt.text) for prompt in shipped("long_context").prompts) > 2 * max(map(len, others))


def test_a_shipped_workload_is_read_once() -> None:
    assert shipped("chat") is shipped("chat")


def test_an_unknown_workload_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadRequest, match="there is no workload 'chess'; the workloads are chat, code_edit, "):
        shipped("chess")
    with pytest.raises(BadRequest, match="no workload"):
        shipped("../prompts/chat")


def test_a_file_is_a_workload_with_its_name(tmp_path: Path) -> None:
    lines = ['{"prompt": "one\\ntwo", "name": "both"}', "", "  ", '"a text\u2028alone"\r', '{"prompt": " as it stands "}']
    workload = own(written(tmp_path, "\ufeff" + "\n".join(lines)))
    assert (workload.name, workload.about, workload.copies) == ("mine", "the prompts in mine.jsonl", False)
    assert workload.prompts == (Prompt("both", "one\ntwo"), Prompt("line 4", "a text\u2028alone"), Prompt("line 5", " as it stands "))


@pytest.mark.parametrize(
    ("content", "says"),
    {
        b"": "FILE holds no prompt; write one on each line",
        b"\n \n": "FILE holds no prompt",
        b"What is an electron?\n": "line 1 of FILE: it is no JSON (Expecting value at character 1); write {",
        b'"one"\n{"prompt": "two"': "line 2 of FILE: it is no JSON (",
        b'"one"\n\n{"prompt": "tw\xff"}': "line 3 of FILE: byte 0xff at place 15 is not UTF-8",
        b"\x1f\x8b\x08\x00": "line 1 of FILE: byte 0x8b at place 2 is not UTF-8",
        b'["one", "two"]': "line 1 of FILE: it holds neither an object nor text; write {",
        b"7": "line 1 of FILE: it holds neither an object nor text",
        b"9" * 5000: "line 1 of FILE: it holds a number with too many digits",
        b"[" * 100_000: "line 1 of FILE: its lists and objects are nested too deeply",
        b"{}": "line 1 of FILE: it has no prompt; write {",
        b'{"text": "one"}': "line 1 of FILE: the key 'text' means nothing here and would be ignored; leave it out",
        b'{"prompt": "one", "%s": 1}' % (b"k" * 5000): "line 1 of FILE: the key 'kkk",
        b'{"prompt": "one", "prompt": "two"}': "line 1 of FILE: the key 'prompt' comes twice",
        b'{"prompt": ["one"]}': "line 1 of FILE: its prompt is not text; write {",
        b'{"prompt": "one", "name": 1}': "line 1 of FILE: its name is not text",
        b'{"prompt": ""}': "line 1 of FILE: the prompt is empty; write something",
        b'{"prompt": "\\ud800"}': "line 1 of FILE: the prompt is not UTF-8 text",
        b'{"prompt": "one", "name": ""}': "line 1 of FILE: the name '' cannot stand in a table; give 1 to 60 printable characters",
        b'{"prompt": "one", "name": "a\\u001b[2J"}': "line 1 of FILE: the name 'a\\x1b[2J' cannot stand in a table",
        b'{"prompt": "one", "name": "%s"}' % (b"n" * (LONGEST_NAME + 1)): "line 1 of FILE: the name 'nnn",
        b'{"prompt": "one", "name": "a"}\n{"prompt": "two", "name": "a"}': "line 2 of FILE: a is the name of line 1; give each prompt",
        b'{"prompt": "one", "name": "line 2"}\n"two"': "line 2 of FILE: line 2 is the name of line 1; give each prompt",
        b'"one"\n' * (MOST_PROMPTS + 1): f"line {MOST_PROMPTS + 1} of FILE is one prompt too many",
        b" " * (LONGEST_FILE + 1): "FILE has more than 4,194,304 bytes; a few dozen prompts are enough",
    }.items(),
    ids=lambda value: value[:24].decode("latin1") if isinstance(value, bytes) else None,
)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    assert says in refusal(written(tmp_path, content))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere.jsonl") == "the prompts in FILE cannot be read: No such file or directory"
    assert refusal(tmp_path) == "the prompts in FILE cannot be read: Is a directory"


def test_a_file_has_no_name_of_a_shipped_workload(tmp_path: Path) -> None:
    path = written(tmp_path, '"one"', "chat.jsonl")
    assert refusal(path) == "FILE would be a second workload called chat, which is the name of a shipped one; rename the file"


def test_a_file_whose_name_cannot_stand_in_a_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="cannot stand in a table"):
        own(written(tmp_path, '"one"', "a\x1b.jsonl"))


def test_without_a_wish_all_shipped_workloads_are_selected(tmp_path: Path) -> None:
    assert [workload.name for workload in select()] == list(WORKLOADS)
    path = written(tmp_path, json.dumps({"prompt": "one"}))
    assert [workload.name for workload in select(file=path)] == ["mine"]
    assert [workload.name for workload in select(("extract", "chat"), path)] == ["extract", "chat", "mine"]


def test_a_workload_is_selected_once() -> None:
    with pytest.raises(BadRequest, match="the workload 'chat' is asked for twice"):
        select(["chat", "extract", "chat"])


def test_a_workload_without_prompts_or_with_two_of_one_name_cannot_be_built() -> None:
    with pytest.raises(BadRequest, match="mine has no prompt"):
        Workload("mine", "", False, ())
    with pytest.raises(BadRequest, match="mine has two prompts called a"):
        Workload("mine", "", False, (Prompt("a", "one"), Prompt("a", "two")))


def test_a_workload_does_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        shipped("chat").name = "other"  # type: ignore[misc]


def test_some_workloads_copy_and_some_do_not() -> None:
    assert {name for name, told in SHIPPED.items() if not told.copies} == {"chat", "translate"}
