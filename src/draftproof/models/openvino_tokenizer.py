"""The tokenizer graphs that stand beside an imported model."""

from pathlib import Path
from typing import Any

from draftproof.errors import BadRequest, Unsupported
from draftproof.vocabulary import Vocabulary

CUT = 8192
"""Tokens beyond these the imported tokenizer drops without a word."""


class OpenVinoTokenizer:
    """A tokenizer from a folder of `models.imported`.

    Args:
        folder: holds `openvino_tokenizer.xml`.
        facts: the metadata of the GGUF file that was imported.
    """

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        try:
            import openvino_genai
        except ModuleNotFoundError as error:
            raise Unsupported("this tokenizer needs OpenVINO GenAI: pip install 'draftproof[cpu]'") from error
        self._graph = openvino_genai.Tokenizer(str(folder))
        self._has_template = "tokenizer.chat_template" in facts
        self.vocabulary = Vocabulary.from_gguf(facts)
        ends = (facts.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot"))
        self.end_tokens = frozenset(int(end) for end in ends if end is not None)

    def encode(self, text: str) -> list[int]:
        """The ids of a text.

        Raises:
            BadRequest: a text of more than `CUT` tokens.
        """
        ids = self._graph.encode(text, add_special_tokens=False).input_ids.data.reshape(-1).tolist() if text else []
        if len(ids) >= CUT and self.vocabulary.bytes_of(ids) != self._without_controls(text).encode():
            raise BadRequest(
                f"the text has more than {CUT} tokens, and this tokenizer leaves out what follows; shorten it, or give token ids"
            )
        return ids

    def chat(self, message: str) -> str | None:
        if not self._has_template:
            return None
        try:
            return self._graph.apply_chat_template([{"role": "user", "content": message}], add_generation_prompt=True)
        except RuntimeError as error:
            raise Unsupported("the chat template of this model cannot be filled in; give the prompt as it stands (raw, --raw)") from error

    def _without_controls(self, text: str) -> str:
        for name in self.vocabulary.controls.values():
            text = text.replace(name, "") if name else text
        return text
