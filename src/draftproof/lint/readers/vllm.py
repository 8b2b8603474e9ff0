"""vLLM: the JSON of `--speculative-config`, a whole serving configuration in JSON, or a command line `vllm serve ...`."""

from draftproof.lint.arguments import Options, read_options, typed
from draftproof.lint.json_places import plain
from draftproof.lint.readers.given import Given
from draftproof.lint.readers.nested import expand
from draftproof.lint.settings import Setting
from draftproof.lint.words import Command

NESTED = {"speculative_config": "speculative", "override_generation_config": "sampling"}
"""Options that hold an object -> what its members are called here."""

ALONE = frozenset(("method", "num_speculative_tokens", "prompt_lookup_max", "rejection_sample_method", "draft_sample_method"))
"""Members by which the JSON of `--speculative-config` is known when it stands alone. None is an option of `vllm serve` beside one."""


def owns(command: Command) -> bool:
    """True for a command that starts vLLM."""
    return any(word.text.rpartition("/")[2] == "vllm" or word.text.startswith("vllm.entrypoints") for word in command[:4])


def read(given: Given, options: Options) -> None:
    """Add what is given to the options."""
    if given.is_json:
        _read_json(given, options)
    for command in given.commands_of(owns):
        read_options(command, options, underscores=True)
    for name, prefix in NESTED.items():
        for dotted in [key for key in options.given if key.startswith(f"{name}.")]:
            member = f"{prefix}.{dotted.partition('.')[2]}"
            options.add(member, typed(options.table, member, options.given.pop(dotted)))
        expand(options, name, prefix, engine="vLLM")


def _read_json(given: Given, options: Options) -> None:
    members = given.json.members
    keys = {member.key.replace("-", "_") for member in members}
    alone = bool(keys & ALONE) and not keys & NESTED.keys()
    for member in members:
        name = member.key.replace("-", "_")
        value = member.value if name in NESTED else plain(member.value)
        options.add(f"speculative.{name}" if alone else options.name(name), Setting(member.key, value, member.place))
