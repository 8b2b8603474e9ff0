"""The weights that are compared, in every form in which an engine takes them; each form is made once, when it is first asked for."""

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from draftproof.errors import BadRequest
from draftproof.models.gguf import write_half
from draftproof.models.imported import Told, imported
from draftproof.models.language import LanguageModel, Tokenizer
from draftproof.models.weights import PACKAGED, load, packaged


class Source:
    """One model by the name of its weights.

    Args:
        name: `smollm2`, a GGUF file, a folder, or the name of a model on a hub.
        threads: of every engine in this process and of those that it starts; by default as many as it may use.
        allow_download: a hub may be asked.
        cache: where imported models are kept.
    """

    def __init__(
        self,
        name: str,
        *,
        threads: int | None = None,
        allow_download: bool = False,
        cache: Path | None = None,
        told: Told = lambda what, done, total: None,
    ) -> None:
        self.name, self.threads = name, threads or len(os.sched_getaffinity(0))
        self._allow_download, self._cache, self._told = allow_download, cache, told
        self._loaded: dict[tuple[str, str], LanguageModel] = {}
        self._half: Path | None = None
        self._others: dict[str, Source] = {}

    def model(self, precision: str = "float32") -> LanguageModel:
        """On the backend that is ours for such weights.

        Raises:
            as `models.weights.load`.
        """
        return self._load("openvino" if self.path.suffix == ".gguf" or self._is_imported else "hf", precision)

    def torch(self, precision: str = "float32") -> LanguageModel:
        """On transformers.

        Raises:
            as `models.weights.load`.
        """
        return self._load("hf", precision)

    @property
    def tokenizer(self) -> Tokenizer:
        """That of our own engine: it reads the prompts and counts the tokens of all."""
        return self.model().tokenizer

    @property
    def path(self) -> Path:
        return packaged(self.name) if self.name in PACKAGED else Path(self.name).expanduser()

    @property
    def file(self) -> Path:
        """The GGUF file.

        Raises:
            BadRequest: there is none.
        """
        if self.path.suffix != ".gguf" or not self.path.is_file():
            raise BadRequest(f"{self.name} is no GGUF file, which a llama.cpp server needs; give one, or leave that engine out")
        return self.path

    def half(self, stack: ExitStack) -> Path:
        """The weights of the GGUF file in half precision, as a file that is removed when `stack` is left.

        Raises:
            BadRequest: there is no GGUF file.
        """
        if self._half is None:
            source, place = self.file, Path(stack.enter_context(TemporaryDirectory(prefix="draftproof-"))) / "half.gguf"
            write_half(source, place, lambda done, total: self._told("dequantising", done, total))
            self._half = place
            stack.callback(self._forget_half)
        return self._half

    @property
    def folder(self) -> Path:
        """The folder of the imported model.

        Raises:
            BadRequest: the weights are of another kind.
        """
        if self._is_imported:
            return self.path
        if self.path.suffix != ".gguf":
            raise BadRequest(
                f"{self.name} is no GGUF file or imported model, which openvino_genai needs; give one, or leave that engine out"
            )
        return imported(self.path, cache=self._cache, told=self._told)

    def other(self, name: str) -> "Source":
        """Another model, such as a draft, on the same terms; this one again if it has the same name."""
        if name == self.name:
            return self
        if name not in self._others:
            self._others[name] = Source(name, threads=self.threads, allow_download=self._allow_download, cache=self._cache, told=self._told)
        return self._others[name]

    @property
    def _is_imported(self) -> bool:
        return (self.path / "openvino_model.xml").is_file()

    def _load(self, backend: str, precision: str) -> LanguageModel:
        if (backend, precision) not in self._loaded:
            self._loaded[backend, precision] = load(
                self.name,
                backend=backend,
                precision=precision,
                threads=self.threads,
                allow_download=self._allow_download,
                cache=self._cache,
                told=self._told,
            )
        return self._loaded[backend, precision]

    def _forget_half(self) -> None:
        self._half = None
