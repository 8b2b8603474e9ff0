"""The engines, and which of them a configuration is for."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from draftproof.errors import BadRequest
from draftproof.lint.arguments import Options
from draftproof.lint.options import llamacpp as llamacpp_options
from draftproof.lint.options import sglang as sglang_options
from draftproof.lint.options import transformers as transformers_options
from draftproof.lint.options import vllm as vllm_options
from draftproof.lint.readers import llamacpp as llamacpp_reader
from draftproof.lint.readers import sglang as sglang_reader
from draftproof.lint.readers import transformers as transformers_reader
from draftproof.lint.readers import vllm as vllm_reader
from draftproof.lint.readers.given import Given
from draftproof.lint.rule import Rule
from draftproof.lint.rules import general, llamacpp, sglang, transformers, vllm
from draftproof.lint.settings import Settings, Table
from draftproof.lint.words import Command


@dataclass(frozen=True)
class Engine:
    """What is known of an engine.

    Attributes:
        owns: True for a command that starts it.
        read: adds what is given to options.
        call_in_argv: True if a file leaves open what the arguments of the call will be.
    """

    name: str
    newest: str
    table: Table
    rules: tuple[Rule, ...]
    owns: Callable[[Command], bool]
    read: Callable[[Given, Options], None]
    call_in_argv: bool = False

    def settings(self, given: Given, version: str = "") -> Settings:
        """The configuration as settings.

        Raises:
            BadRequest: it cannot be read.
        """
        options = Options(self.table)
        self.read(given, options)
        whole = bool(given.argv) or not self.call_in_argv
        return Settings(self.name, version, self.newest, options.given, self.table, tuple(options.repeated), whole)


ENGINES = MappingProxyType(
    {
        "vllm": Engine("vllm", vllm.NEWEST, vllm_options.TABLE, vllm.RULES, vllm_reader.owns, vllm_reader.read),
        "sglang": Engine("sglang", sglang.NEWEST, sglang_options.TABLE, sglang.RULES, sglang_reader.owns, sglang_reader.read),
        "llamacpp": Engine("llamacpp", llamacpp.NEWEST, llamacpp_options.TABLE, llamacpp.RULES, llamacpp_reader.owns, llamacpp_reader.read),
        "transformers": Engine(
            "transformers",
            transformers.NEWEST,
            transformers_options.TABLE,
            transformers.RULES,
            transformers_reader.owns,
            transformers_reader.read,
            call_in_argv=True,
        ),
    }
)
"""By name."""

RULES = (*general.RULES, *(rule for engine in ENGINES.values() for rule in engine.rules))
"""All rules."""


def find(name: str) -> Engine:
    """The engine of this name.

    Raises:
        BadRequest: there is none.
    """
    if name not in ENGINES:
        raise BadRequest(f"there is no engine {name!r} among those that can be linted; choose of {', '.join(ENGINES)}")
    return ENGINES[name]


def detect(given: Given) -> Engine:
    """The engine that a configuration is for: that of its command, or the one that knows most of its JSON.

    Raises:
        BadRequest: it cannot be told.
    """
    if not given.is_json:
        for engine in ENGINES.values():
            if any(engine.owns(command) for command in given.commands) and not (given.name and engine.call_in_argv):
                return engine
    else:
        keys = {member.key.replace("-", "_") for member in given.json.members}
        known = {
            "vllm": len(keys & (_fields("speculative.") | vllm_options.TABLE.options.keys())),
            "transformers": len(keys & transformers_options.TABLE.options.keys()),
        }
        best = max(known, key=lambda name: known[name])
        if known[best] and len(set(known.values())) > 1:
            return ENGINES[best]
    raise BadRequest(f"cannot tell for which engine this is; say so with --engine: {', '.join(ENGINES)}")


def _fields(prefix: str) -> set[str]:
    return {name.removeprefix(prefix) for name in vllm_options.TABLE.options if name.startswith(prefix)}
