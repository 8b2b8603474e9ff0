"""An engine by the name it is asked for under, ready to be audited: the engine, and what its tokens are judged by."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from draftproof import __version__
from draftproof.audit.acceptance.drafting import KEPT, Drafting
from draftproof.audit.conditions import Judge, check_band
from draftproof.audit.engines.hf import Transformers
from draftproof.audit.engines.hf_call import Call
from draftproof.audit.engines.hf_spread import SpreadTransformers
from draftproof.audit.engines.llamacpp import LlamaCpp
from draftproof.audit.engines.llamacpp_server import Serving
from draftproof.audit.engines.openai import OpenAi
from draftproof.audit.engines.own import Own
from draftproof.audit.engines.protocol import Audited
from draftproof.catalogue import find
from draftproof.decode import Decoder
from draftproof.drafting import named_drafter
from draftproof.errors import BadRequest, Unavailable
from draftproof.models.gguf import write_half
from draftproof.models.language import LanguageModel
from draftproof.models.tiny import Near, write_tiny_folder, write_tiny_gguf
from draftproof.models.weights import PACKAGED, load, packaged
from draftproof.sampling.params import SamplingParams

Told = Callable[[str], None]

ENGINES = {
    "draftproof": "our own engine, on any model that `draftproof generate` takes",
    "hf": "generate of the installed transformers, on a folder of safetensors",
    "llamacpp": "a llama.cpp server, started for the audit, on a GGUF file",
    "openai+http": "a running server that speaks the OpenAI completions API, by its address",
}
"""What stands before the colon of an engine's name."""

TINY = "tiny"
"""Stands for a pair of random models that are written on the spot: a real engine can be audited with it in a minute."""

SHARPNESS, LIKENESS = 3.0, 0.98
"""Of the tiny pair: laws of 2.6 nats, and a draft that overlaps with them by .68 at temperature 1."""

WIDEST = 64
"""Tokens of a draft."""

WORKERS = 2
"""Processes for calls of transformers with drafts, which take one request each."""

BANDS = {"draftproof": 0.0, "hf": 1e-5, "llamacpp": 1e-3, "openai+http": 1e-3}
"""Total variation a row between an engine and our copy of the same float weights, rounded up from what was measured: transformers one
row at a time against many 3e-6 on average, llama.cpp with 16-bit weights against ours 3.5e-4, 6.8e-4 at most. Of a server
nothing is known."""


@dataclass(frozen=True)
class Wanted:
    """An engine as it is asked for.

    Attributes:
        name: `ENGINE:WHERE`, such as `hf:folder` or `openai+http://127.0.0.1:8000`.
        draft: the file or folder of a draft model; empty for none.
        lookup: draft from the text itself.
        probabilistic: sample the drafts of a draft model, where the engine can; else it takes the likeliest tokens.
        width: tokens drafted in a round at most.
        rule: of our own engine.
        weights: of the target, for a server that does not tell; the engine's own by default.
        band: see `Judge`; that of `BANDS` by default.
        served: how a running server drafts, in its operator's words.
        dialect: of a running server.

    Raises:
        BadRequest: no such engine, or two kinds of draft.
    """

    name: str
    draft: str = ""
    lookup: bool = False
    probabilistic: bool = False
    width: int = 3
    rule: str = "rejection"
    weights: str = ""
    band: float | None = None
    served: str = ""
    dialect: str = "openai"

    def __post_init__(self) -> None:
        if self.engine not in ENGINES or not self.where:
            known = ", ".join(f"{engine}:..." if engine != "openai+http" else f"{engine}://..." for engine in ENGINES)
            raise BadRequest(f"{self.name!r} is no engine; give {known}, or a file of records that ends in .jsonl")
        if self.band is not None:
            check_band(self.band)
        if not 1 <= self.width <= WIDEST:
            raise BadRequest(f"width is {self.width}; it must be a whole number from 1 to {WIDEST}")
        if self.draft and self.lookup:
            raise BadRequest("a draft model and lookup drafts are both asked for; give one, so that it is known what is audited")

    @property
    def engine(self) -> str:
        before = self.name.partition(":")[0]
        return "openai+http" if before == "openai+https" else before

    @property
    def where(self) -> str:
        return self.name if self.engine == "openai+http" else self.name.partition(":")[2]

    @property
    def trusted_band(self) -> float:
        return BANDS[self.engine] if self.band is None else self.band


@dataclass(frozen=True)
class Subject:
    """An engine that is ready.

    Attributes:
        engine: not started yet; enter it.
        dialect: of its sampling rules.
        judge: what its tokens are judged by, once it is started; None if there is no trusted copy, so that it can only be compared.
        drafting: how it drafts, as far as it is known.
        promises_seeds: whether a seed fixes the text, in whatever company.
    """

    engine: Audited
    dialect: str
    judge: Callable[[], Judge] | None
    drafting: Drafting | None = None
    promises_seeds: bool = False


def subject(wanted: Wanted, *, folder: Path, told: Told = lambda what: None) -> Subject:
    """The engine with a trusted copy of its target.

    Args:
        folder: where models are written that have to be made first.

    Raises:
        BadRequest, Unsupported, Unavailable: as loading a model and the engine's constructor.
    """
    return {"draftproof": _own, "hf": _transformers, "llamacpp": _llamacpp, "openai+http": _openai}[wanted.engine](wanted, folder, told)


def _own(wanted: Wanted, folder: Path, told: Told) -> Subject:
    files = _files(wanted, folder, write_tiny_gguf, ".gguf")
    target, draft = _loaded(_trusted(wanted, files), told), _loaded(files.draft, told)
    assert target is not None
    rule = find([wanted.rule])[0]
    name = "model" if draft else "lookup" if wanted.lookup else "none"
    drafter = named_drafter(name, target, rule, width=wanted.width, draft_model=draft)
    drafts = "" if name == "none" else f"the drafter {name}, up to {wanted.width} tokens a round, settled by {rule.name}"
    engine = Own(Decoder(target.model, drafter, rule.verification), name=f"draftproof {__version__}", drafts=drafts)
    drafting = Drafting(wanted.width, rule.name if rule.name in KEPT else None) if draft else None
    return Subject(engine, "transformers", lambda: Judge(target, draft, band=wanted.trusted_band), drafting, promises_seeds=True)


def _transformers(wanted: Wanted, folder: Path, told: Told) -> Subject:
    files = _files(wanted, folder, write_tiny_folder, "")
    call = Call(files.target, files.draft, wanted.lookup, wanted.width)
    engine = SpreadTransformers(call, workers=WORKERS) if call.drafts else Transformers(call)
    target, draft = _loaded(_trusted(wanted, files), told, backend="hf"), _loaded(files.draft, told, backend="hf")
    assert target is not None
    drafting = Drafting(wanted.width, "rejection") if draft else None
    return Subject(engine, "transformers", lambda: Judge(target, draft, drafts=twice_tempered, band=wanted.trusted_band), drafting)


def _llamacpp(wanted: Wanted, folder: Path, told: Told) -> Subject:
    files = _files(wanted, folder, write_tiny_gguf, ".gguf")
    target, draft = _loaded(_trusted(wanted, files), told), _loaded(files.draft, told)
    assert target is not None
    engine = LlamaCpp(
        Serving(
            _served(files.target, folder, told),
            _served(files.draft, folder, told),
            draft_sampling="probabilistic" if wanted.probabilistic else "greedy",
            width=wanted.width,
            lookup="ngram-simple" if wanted.lookup else "",
        )
    )
    greedy = not wanted.probabilistic
    drafting = Drafting(wanted.width, "match" if greedy else "rejection", likeliest=greedy) if draft else None
    return Subject(engine, "llamacpp", lambda: Judge(target, draft, engine.follows, engine.draft_params, wanted.trusted_band), drafting)


def _openai(wanted: Wanted, folder: Path, told: Told) -> Subject:
    target, draft = _loaded(wanted.weights, told), _loaded(wanted.draft, told)
    ends = frozenset() if target is None else target.tokenizer.end_tokens
    engine = OpenAi(wanted.where, dialect=wanted.dialect, drafts=wanted.served, ends=ends)
    if target is None:
        return Subject(engine, wanted.dialect, None)
    drafting = Drafting(wanted.width, likeliest=not wanted.probabilistic) if draft else None
    drafts = engine.follows if wanted.probabilistic else likeliest
    return Subject(engine, wanted.dialect, lambda: Judge(target, draft, engine.follows, drafts, wanted.trusted_band), drafting)


def twice_tempered(params: SamplingParams) -> SamplingParams:
    """The rules of a draft of transformers, as seen in 5.24: those of the target, with the temperature applied twice. It is verified by the
    same law, so the text stays exact."""
    return replace(params, temperature=params.temperature**2)


def likeliest(params: SamplingParams) -> SamplingParams:
    """The rules of a draft that takes its likeliest token."""
    return replace(params, temperature=0.0)


def _served(source: str, folder: Path, told: Told) -> str:
    """The file that a server loads of a model."""
    return str(_half(packaged(source), folder, told)) if source in PACKAGED else source


def _half(source: Path, folder: Path, told: Told) -> Path:
    """The file in half precision. With 4-bit weights llama.cpp takes activations of 8 bits: a model that is .03 a row away."""
    target = _made(folder, f"{source.stem}-half.gguf")
    if not target.exists():
        told(f"writing {target.name}")
        partial = target.with_suffix(f".{os.getpid()}")
        try:
            write_half(source, partial)
            partial.replace(target)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise Unavailable(f"{target} cannot be written: {error.strerror}; make room") from error
    return target


class _Files(NamedTuple):
    """Of target and draft; the draft's is empty if there is none."""

    target: str
    draft: str


def _files(wanted: Wanted, folder: Path, write: Callable[..., Path], ending: str) -> _Files:
    """Where the models lie; the tiny ones are written."""
    target, draft = wanted.where, wanted.draft
    if target == TINY:
        target = str(write(_made(folder, f"{TINY}-target{ending}"), seed=0, sharpness=SHARPNESS))
    if draft == TINY:
        draft = str(write(_made(folder, f"{TINY}-draft{ending}"), seed=1, near=Near(0, LIKENESS), sharpness=SHARPNESS))
    return _Files(target, draft)


def _trusted(wanted: Wanted, files: _Files) -> str:
    """The file of the trusted copy."""
    return files.target if wanted.weights in ("", TINY) else wanted.weights


def _made(folder: Path, name: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(f"{folder}, where models are made, cannot be used: {error.strerror}; set XDG_CACHE_HOME") from error
    return folder / name


def _loaded(source: str, told: Told, *, backend: str = "auto") -> LanguageModel | None:
    if not source:
        return None
    told(f"loading {source}")
    return load(source, backend=backend)
