"""llama.cpp: a command line of llama-server or llama-cli, and lines `LLAMA_ARG_...=value` of its environment."""

import re

from draftproof.errors import BadRequest
from draftproof.lint.arguments import Options, read_options, typed
from draftproof.lint.readers.given import Given
from draftproof.lint.settings import Setting
from draftproof.lint.words import Command, Word

_ASSIGNMENT = re.compile(r"(LLAMA_ARG_[A-Z0-9_]*)=(.*)", re.DOTALL)


def owns(command: Command) -> bool:
    """True for a command that starts llama.cpp, or that sets a variable for it."""
    return any(word.text.rpartition("/")[2].startswith("llama-") or _ASSIGNMENT.fullmatch(word.text) for word in command)


def read(given: Given, options: Options) -> None:
    """Add what is given to the options. Arguments take precedence over the environment."""
    if given.is_json:
        raise BadRequest(f"{given.name} holds JSON, and llama.cpp is configured by arguments and its environment; give them after --")
    environment = Options(options.table)
    for command in given.commands_of(owns):
        read_options([word for word in command if not _assign(word, environment)], options)
    options.add_all(environment.given)
    options.repeated.extend(environment.repeated)


def _assign(word: Word, environment: Options) -> bool:
    """Take a variable of the environment. Returns True if the word was one."""
    match = _ASSIGNMENT.fullmatch(word.text)
    if match:
        name = environment.name(match[1])
        environment.add(name, typed(environment.table, name, Setting(match[1], match[2], word.place)))
    return bool(match)
