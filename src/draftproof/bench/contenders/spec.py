"""A contender as it is named: `ours:lookup,width=5`, `hf`, `genai:draft=smollm2`, `openai+http://127.0.0.1:8000#drafts`.

What stands before the colon is the engine, and without more it does not draft; our own does, with `best_of`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from draftproof.audit.engines.request_fields import SPOKEN
from draftproof.audit.engines.wire import base_address
from draftproof.catalogue import find
from draftproof.drafting import AUTO, DRAFTERS
from draftproof.errors import BadRequest
from draftproof.models.openvino import PRECISIONS

NONE, LOOKUP, DRAFT, DRAFTS = "none", "lookup", "draft", "drafts"

FLOAT32, FLOAT16 = "float32", "float16"

URL = "openai+http"


class Kind(NamedTuple):
    """What can be said of one engine.

    Attributes:
        told: for a reader.
        ways: in which it drafts, by the words for them.
        options: what can be given as NAME=VALUE, and its values in words.
        label: the name of the engine and its arithmetic, made of the options.
        precision: where none is given.
    """

    told: str
    ways: tuple[str, ...]
    options: Mapping[str, str]
    label: str
    precision: str = FLOAT32


DRAFTING = {"width": "NUMBER", "draft": "MODEL"}
PRECISION = {"precision": "|".join(PRECISIONS)}

KINDS = {
    "ours": Kind(
        "our own engine; it drafts with best_of unless it is told otherwise",
        DRAFTERS,
        {**DRAFTING, **PRECISION, "rule": "RULE", "layers": "NUMBER"},
        "draftproof {precision}",
    ),
    "hf": Kind("generate of transformers", (LOOKUP, NONE), {**DRAFTING, **PRECISION}, "transformers {precision}"),
    "genai": Kind("openvino_genai with the arithmetic of ours", (LOOKUP, NONE), {**DRAFTING, **PRECISION}, "openvino_genai {precision}"),
    "genai-default": Kind(
        "openvino_genai as it comes, but for its cache of prompts", (LOOKUP, NONE), DRAFTING, "openvino_genai as it comes"
    ),
    "llamacpp": Kind(
        "a llama.cpp server", (LOOKUP, NONE), {**DRAFTING, "precision": FLOAT16}, "llama.cpp, weights {precision}", "as in the file"
    ),
    URL: Kind("a running server", (DRAFTS, NONE), {"engine": "NAME", "dialect": "|".join(SPOKEN), "slots": "NUMBER"}, "{engine}"),
}

OF_ENGINE = ("precision", "rule", "engine", "dialect", "slots")
"""Options that are the same with drafts and without."""

ALONE = {"ours": "best_of"}
"""How an engine drafts that is named without a way."""

GIVEN_MODEL = {"ours": "model"}
"""How an engine is said to draft with a draft model."""


@dataclass(frozen=True)
class Spec:
    """A contender that is asked for.

    Attributes:
        kind: one of `KINDS`.
        way: how it drafts; `none` if it does not.
        options: by name.
        address: of a server; empty for all others.
    """

    kind: str
    way: str
    options: Mapping[str, str] = field(default_factory=dict)
    address: str = ""

    @property
    def drafts(self) -> bool:
        return self.way != NONE

    @property
    def engine(self) -> str:
        """The engine and its arithmetic."""
        label = KINDS[self.kind].label.format(precision=self.precision, engine=self.options.get("engine", self.address))
        return f"{label}, rule {self.options['rule']}" if "rule" in self.options else label

    @property
    def name(self) -> str:
        """The engine and how it drafts."""
        more = [f"{name} {value}" for name, value in sorted(self.options.items()) if name not in OF_ENGINE]
        way = "no drafts" if not self.drafts else self.way
        return ", ".join([self.engine, *(more if way == DRAFT else [way, *more])])

    @property
    def plain(self) -> "Spec":
        """The same engine without drafts."""
        return Spec(self.kind, NONE, {name: value for name, value in self.options.items() if name in OF_ENGINE}, self.address)

    @property
    def precision(self) -> str:
        return self.options.get("precision", KINDS[self.kind].precision)

    @property
    def width(self) -> int | None:
        """The tokens of a draft, if they are given and not chosen by what pays."""
        given = self.options.get("width")
        return int(given) if given else None


def parse(text: str) -> Spec:
    """The contender that a text names.

    Raises:
        BadRequest: no such engine, nothing that it takes, or two things that contradict each other.
    """
    of_url = text.startswith((URL + "://", URL + "s://"))
    kind, _, rest = (URL, "", text.partition("#")[2]) if of_url else text.partition(":")
    if kind not in KINDS or (kind == URL and not of_url):
        named = ", ".join(f"{name} ({about.told})" for name, about in KINDS.items() if name != URL)
        raise BadRequest(f"{text!r} is no engine; there are {named}, and {URL}://HOST ({KINDS[URL].told})")
    address = base_address(text.partition("#")[0]) if of_url else ""
    ways, options = _said(text, kind, rest)
    _check(text, kind, ways, options)
    way = ways[0] if ways else GIVEN_MODEL.get(kind, DRAFT) if "draft" in options else ALONE.get(kind, NONE)
    return Spec(kind, way, options, address)


def _said(text: str, kind: str, rest: str) -> tuple[list[str], dict[str, str]]:
    """The ways to draft and the options that stand in `rest`, without those that change nothing.

    Raises:
        BadRequest: what the engine does not take, or anything twice.
    """
    ways, options = list[str](), dict[str, str]()
    for part in filter(None, rest.split(",")):
        name, given, value = part.partition("=")
        if (name in options) if given else (name in ways):
            raise BadRequest(f"{text!r} says {name} twice; say it once")
        if given and value and name in KINDS[kind].options:
            options[name] = value
        elif not given and name in KINDS[kind].ways:
            ways.append(name)
        else:
            raise BadRequest(f"{part!r} in {text!r} is nothing that {kind} takes; it takes {_taken(kind)}")
    return ways, {name: value for name, value in options.items() if value != _default(kind, name)}


def _taken(kind: str) -> str:
    about = KINDS[kind]
    return ", ".join([*about.ways, *(f"{name}={values}" for name, values in about.options.items())])


def _default(kind: str, name: str) -> str:
    """The value of an option that is the same as leaving it out."""
    width = AUTO if kind in ALONE else ""
    return {"precision": KINDS[kind].precision, "rule": "coupled", "dialect": "openai", "width": width}.get(name, "")


def _check(text: str, kind: str, ways: list[str], options: Mapping[str, str]) -> None:
    """Return if these go together.

    Raises:
        BadRequest: two ways to draft, options of drafts without any, or a value that its option cannot have.
    """
    if len(ways) > 1 or (ways and "draft" in options and kind not in GIVEN_MODEL):
        raise BadRequest(f"{text!r} drafts in two ways; name each as a contender of its own")
    drafts = (ways or [ALONE.get(kind, NONE)]) != [NONE] or "draft" in options
    for name in sorted(options.keys() - {*OF_ENGINE}):
        if not drafts:
            raise BadRequest(f"{text!r} gives {name} and does not draft; leave it out, or say how it drafts: {_taken(kind)}")
    for name in ("width", "layers", "slots"):
        value = options.get(name, "1")
        if not (value.isascii() and value.isdecimal() and int(value) >= 1):
            raise BadRequest(f"{name} in {text!r} is {value!r}; give a whole number of at least 1")
    for name in ("precision", "dialect"):
        allowed = KINDS[kind].options.get(name, "").split("|")
        if name in options and options[name] not in allowed:
            raise BadRequest(f"{name} in {text!r} is {options[name]!r}; give one of {', '.join(allowed)}")
    find([options.get("rule", "coupled")])
