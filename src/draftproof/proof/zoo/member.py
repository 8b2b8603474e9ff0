"""What the zoo says about each of its members."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType

from draftproof.proof.zoo.decoder import Decoder

MECHANISMS = MappingProxyType(
    {
        "M1": "the recorded draft law is not the law that was sampled",
        "M2": "sampling parameters reach one path and not the other",
        "M3": "the target's state is not rolled back to the kept prefix",
        "M4": "end, stop or length inside an accepted block",
        "M5": "greedy where sampling was asked for",
        "M6": "wrong fallback after a rejection",
        "M7": "penalties or processors counted on the wrong text",
        "M8": "row, position or slot off by one",
        "M9": "random numbers shared or reused",
        "M10": "several candidates verified as if each were alone",
        "M11": "recurrent state read from or written to the wrong slot",
        "M12": "ragged batch treated as uniform",
        "M13": "state of a grammar",
        "M14": "token ids of two vocabularies",
        "M15": "lossy acceptance, or a boundary of it",
        "M16": "prefix cache polluted",
        "M17": "reported probabilities are not those of the sampled law",
        "M18": "empty residual",
    }
)
"""Every mechanism by which public decoders went wrong."""


@dataclass(frozen=True)
class Member:
    """A planted fault, or a control: a decoder that is exact although it looks wrong.

    Attributes:
        decoder: what is run.
        mechanism: of `MECHANISMS`; empty for a control.
        reports: public reports that describe it, as project#number.
        fixtures: the family of standard fixtures on which it is run.
        distances: from the name of a fixture to the total variation on it, to three decimals, where one was published
            or worked out elsewhere.
        name, title: of the file, and the first line of its text.
    """

    decoder: Decoder
    mechanism: str = ""
    reports: tuple[str, ...] = ()
    fixtures: str = "loop"
    distances: Mapping[str, float] = field(default_factory=dict)
    name: str = ""
    title: str = ""


@cache
def faults() -> tuple[Member, ...]:
    """Every planted fault, by mechanism."""
    return tuple(sorted(_members("faults"), key=lambda member: (int(member.mechanism[1:]), member.name)))


@cache
def controls() -> tuple[Member, ...]:
    """Every benign control, by name."""
    return tuple(_members("controls"))


def _members(folder: str) -> list[Member]:
    package = import_module(f"draftproof.proof.zoo.{folder}")
    modules = [import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]
    return [_labelled(module) for module in modules]


def _labelled(module: ModuleType) -> Member:
    """The member of a file, with the file's name and the first line of its text."""
    title = (module.__doc__ or "").strip().partition("\n")[0]
    return replace(module.MEMBER, name=module.__name__.rpartition(".")[2], title=title)
