"""What is asked while the clock runs: six workloads of ten prompts that come with the package, and prompts of one's own."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from draftproof.engine import readable
from draftproof.errors import BadRequest

LONGEST_NAME = 60
"""Characters: a name stands in a column of a table."""

LONGEST_FILE = 4 * 2**20
"""Bytes of a file of prompts: a hundred prompts of 8,192 tokens."""

MOST_PROMPTS = 1000
"""Every contender answers every prompt several times; so many take hours."""

FORM = '{"name": "...", "prompt": "..."}'


@dataclass(frozen=True)
class Prompt:
    """What a user says, before the template of a chat is put around it.

    Attributes:
        name: for tables; unique in its workload.
        text: not empty.
    """

    name: str
    text: str

    def __post_init__(self) -> None:
        _check_name(self.name)
        readable(self.text)


@dataclass(frozen=True)
class Workload:
    """Prompts of one kind.

    Attributes:
        name: for tables.
        about: what its users ask for, in a few words.
        copies: True if much of a good answer stands in its prompt, word for word, so that drafts from the text itself should pay.
        prompts: at least one.
    """

    name: str
    about: str
    copies: bool
    prompts: tuple[Prompt, ...]

    def __post_init__(self) -> None:
        _check_name(self.name)
        if not self.prompts:
            raise BadRequest(f"the workload {self.name} has no prompt; give at least one")
        names = [prompt.name for prompt in self.prompts]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise BadRequest(f"the workload {self.name} has two prompts called {twice}; give each a name of its own")


class Shipped(NamedTuple):
    """What is told of a shipped workload; its prompts lie in prompts/NAME.jsonl."""

    about: str
    copies: bool


SHIPPED = {
    "chat": Shipped("open questions and small writing tasks", copies=False),
    "code_edit": Shipped("print a function or class again with a small change", copies=True),
    "summarise": Shipped("summarise a paragraph and quote its key sentences", copies=True),
    "extract": Shipped("turn a letter, log or table into JSON with given keys", copies=True),
    "translate": Shipped("say every line again in another language, tone or notation", copies=False),
    "long_context": Shipped("find a part of a long text and print or retell it", copies=True),
}
"""In each of the workloads that copy, nearly every prompt asks for the shown text itself: all of a program but for the change, whole
sentences, the values of a letter, one section of a manual. `translate` shares with its answers names, numbers and the order of lines; a
model too small for it repeats the lines as they stand.

Tokens of a prompt as SmolLM2 reads it, template included:

| workload | least | median | most |
|---|---|---|---|
| chat | 47 | 66 | 145 |
| code_edit | 133 | 201 | 269 |
| summarise | 184 | 218 | 232 |
| extract | 189 | 203 | 280 |
| translate | 128 | 173 | 207 |
| long_context | 1025 | 1269 | 2253 |
"""

WORKLOADS = tuple(SHIPPED)
"""The names of the shipped workloads."""


@cache
def shipped(name: str) -> Workload:
    """The shipped workload of this name.

    Raises:
        BadRequest: there is none.
    """
    if name not in SHIPPED:
        raise BadRequest(f"there is no workload {name!r:.80}; the workloads are {', '.join(WORKLOADS)}")
    content = files("draftproof.bench").joinpath("prompts", f"{name}.jsonl").read_bytes()
    return Workload(name, *SHIPPED[name], _prompts(content, f"{name}.jsonl"))


def own(file: Path) -> Workload:
    """The prompts in a file of JSON lines, as a workload with the name of the file.

    A line holds an object with the text "prompt" and perhaps a "name", or the text alone. Blank lines are passed over. Nothing is known
    of how much the answers copy, so nothing is claimed.

    Raises:
        BadRequest: the file cannot be read, is too large, has no prompt or the name of a shipped workload; a line that is named is not
            of this form, or bears the name of another.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(LONGEST_FILE + 1)
    except OSError as error:
        raise BadRequest(f"the prompts in {file} cannot be read: {error.strerror}") from error
    if len(content) > LONGEST_FILE:
        raise BadRequest(f"{file} has more than {LONGEST_FILE:,} bytes; a few dozen prompts are enough")
    if file.stem in SHIPPED:
        raise BadRequest(f"{file} would be a second workload called {file.stem}, which is the name of a shipped one; rename the file")
    return Workload(file.stem, f"the prompts in {file.name}", False, _prompts(content, str(file)))


def select(names: Sequence[str] = (), file: Path | None = None) -> tuple[Workload, ...]:
    """The shipped workloads that are named, then that of the file; all shipped ones if nothing is asked for.

    Raises:
        BadRequest: see `shipped` and `own`; a name comes twice.
    """
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadRequest(f"the workload {twice!r:.80} is asked for twice; name it once")
    wanted = names or (() if file else WORKLOADS)
    return (*map(shipped, wanted), *([own(file)] if file else []))


def _check_name(name: str) -> None:
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadRequest(f"the name {name[:LONGEST_NAME]!r} cannot stand in a table; give 1 to {LONGEST_NAME} printable characters")


def _prompts(content: bytes, file: str) -> tuple[Prompt, ...]:
    """A prompt a line, each under a name of its own."""
    found: dict[str, tuple[int, Prompt]] = {}
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"line {number} of {file}"
        prompt = _prompt(line, where, f"line {number}")
        if prompt.name in found:
            raise BadRequest(f"{where}: {prompt.name} is the name of line {found[prompt.name][0]}; give each prompt a name of its own")
        found[prompt.name] = number, prompt
        if len(found) > MOST_PROMPTS:
            raise BadRequest(f"{where} is one prompt too many: at most {MOST_PROMPTS} are read; a few dozen are enough")
    if not found:
        raise BadRequest(f"{file} holds no prompt; write one on each line, as {FORM}")
    return tuple(prompt for _, prompt in found.values())


def _prompt(line: bytes, where: str, name: str) -> Prompt:
    """The prompt of a line, under its own name or the one given here."""
    content = _decoded(line, where)
    if isinstance(content, str):
        content = (("prompt", content),)
    if not isinstance(content, tuple):
        raise BadRequest(f"{where}: it holds neither an object nor text; write {FORM}")
    keys = [key for key, _ in content]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise BadRequest(f"{where}: the key {twice!r:.80} comes twice; keep one of the two")
    if unknown := next((key for key in keys if key not in ("prompt", "name")), None):
        raise BadRequest(f"{where}: the key {unknown!r:.80} means nothing here and would be ignored; leave it out, as in {FORM}")
    fields = dict(content)
    if "prompt" not in fields:
        raise BadRequest(f"{where}: it has no prompt; write {FORM}")
    if other := next((key for key, value in content if not isinstance(value, str)), None):
        raise BadRequest(f"{where}: its {other} is not text; write {FORM}")
    try:
        return Prompt(fields.get("name", name), fields["prompt"])
    except BadRequest as error:
        raise BadRequest(f"{where}: {error}") from None


def _decoded(line: bytes, where: str) -> Any:
    """What a line of JSON says; an object comes as a tuple of its keys and values, so that no key is lost."""
    try:
        return json.loads(line.decode("utf-8-sig"), object_pairs_hook=tuple)
    except RecursionError:
        raise BadRequest(f"{where}: its lists and objects are nested too deeply; write {FORM}") from None
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"{where}: byte {line[error.start]:#04x} at place {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        raise BadRequest(f"{where}: it is no JSON ({error.msg} at character {error.pos + 1}); write {FORM}") from None
    except ValueError:
        raise BadRequest(f"{where}: it holds a number with too many digits; write {FORM}") from None
