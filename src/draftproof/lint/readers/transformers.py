"""transformers: a generation_config.json, keyword arguments of `generate` such as `do_sample=True`, or both."""

from draftproof.errors import BadRequest
from draftproof.lint import json_places
from draftproof.lint.arguments import Options
from draftproof.lint.json_places import plain
from draftproof.lint.readers.given import Given
from draftproof.lint.settings import Setting
from draftproof.lint.words import Command, Word

_PYTHON = {"True": True, "False": False, "None": None}


def owns(command: Command) -> bool:
    """True for keyword arguments."""
    return bool(command) and all(word.text.partition("=")[0].isidentifier() and "=" in word.text for word in command)


def read(given: Given, options: Options) -> None:
    """Add what is given to the options. Keyword arguments take precedence over the file."""
    if given.name and not given.is_json:
        raise BadRequest(f"{given.name} holds no JSON, and transformers reads its generation_config.json; give that, or arguments after --")
    file = Options(options.table)
    if given.name:
        for member in given.json.members:
            file.add(member.key, Setting(member.key, plain(member.value), member.place))
    for command in given.commands:
        for word in command:
            _add_keyword(word, options)
    options.add_all(file.given)
    options.repeated.extend(file.repeated)


def _add_keyword(word: Word, options: Options) -> None:
    name, equals, text = word.text.removeprefix("--").partition("=")
    if not (equals and name.isidentifier()):
        raise BadRequest(
            f"{word.place}: {word.text[:60]!r} is no keyword argument of generate; write it as name=value, such as do_sample=True"
        )
    options.add(name, Setting(name, _value(text), word.place))


def _value(text: str) -> object:
    """A value as Python or JSON writes it; any other is a text."""
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return plain(json_places.parse(text, "value"))
    except BadRequest:
        return text
