"""The tokenizer of a `transformers` model."""

from pathlib import Path
from typing import Any

from draftproof.errors import BadRequest, Unsupported
from draftproof.vocabulary import Vocabulary


class HfTokenizer:
    """A tokenizer of the library `transformers`.

    Args:
        inner: one that is built on the library `tokenizers`: others do not say which bytes a token has.
        vocab: the model's, which may have more ids than the tokenizer.
        end_tokens: the ids that end a text.

    Raises:
        Unsupported: another kind of tokenizer.
    """

    def __init__(self, inner: Any, *, vocab: int, end_tokens: frozenset[int]) -> None:
        self._inner = inner
        self.vocabulary = Vocabulary.from_tokenizer(inner, size=vocab)
        self.end_tokens = end_tokens

    @classmethod
    def load(cls, source: Path | str, *, vocab: int, end_tokens: frozenset[int], allow_download: bool = False) -> "HfTokenizer":
        """The tokenizer that belongs to a model: in its folder, in its GGUF file, or on a hub.

        Raises:
            BadRequest: there is none.
            Unsupported: transformers is not installed, or the tokenizer is of another kind.
        """
        try:
            from transformers import AutoTokenizer
        except ModuleNotFoundError as error:
            raise Unsupported("this tokenizer needs transformers: pip install 'draftproof[hf]'") from error
        place: dict[str, Any] = {"pretrained_model_name_or_path": source}
        if isinstance(source, Path) and source.suffix == ".gguf":
            place = {"pretrained_model_name_or_path": source.parent, "gguf_file": source.name}
        try:
            inner = AutoTokenizer.from_pretrained(**place, local_files_only=not allow_download)
        except (OSError, ValueError, KeyError) as error:
            raise BadRequest(
                f"there is no tokenizer with {source} that transformers can read; put tokenizer.json beside the weights"
            ) from error
        return cls(inner, vocab=vocab, end_tokens=end_tokens)

    def encode(self, text: str) -> list[int]:
        return list(self._inner.encode(text, add_special_tokens=False))

    def chat(self, message: str) -> str | None:
        if not self._inner.chat_template:
            return None
        from jinja2 import TemplateError

        try:
            return self._inner.apply_chat_template([{"role": "user", "content": message}], tokenize=False, add_generation_prompt=True)
        except TemplateError as error:
            raise Unsupported("the chat template of this model cannot be filled in; give the prompt as it stands (raw, --raw)") from error
