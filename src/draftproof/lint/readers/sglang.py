"""SGLang: a command line such as `python -m sglang.launch_server ...`."""

from draftproof.errors import BadRequest
from draftproof.lint.arguments import Options, read_options
from draftproof.lint.readers.given import Given
from draftproof.lint.readers.nested import expand
from draftproof.lint.words import Command


def owns(command: Command) -> bool:
    """True for a command that starts SGLang."""
    return any(word.text.rpartition("/")[2] == "sglang" or word.text.startswith("sglang.") for word in command[:4])


def read(given: Given, options: Options) -> None:
    """Add what is given to the options."""
    if given.is_json:
        raise BadRequest(f"{given.name} holds JSON, and SGLang is configured by arguments; give them after --")
    for command in given.commands_of(owns):
        read_options(command, options)
    expand(options, "preferred-sampling-params", "sampling", engine="SGLang")
