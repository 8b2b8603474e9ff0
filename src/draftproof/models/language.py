"""A model that reads and writes text: the model of token ids, and the tokenizer that belongs to it."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from draftproof.models.protocol import Model
from draftproof.vocabulary import Vocabulary


@runtime_checkable
class Tokenizer(Protocol):
    """Between text and token ids."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes of every token id."""
        ...

    @property
    def end_tokens(self) -> frozenset[int]:
        """The ids that end a text."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of a text as it stands, nothing added. The names of control tokens become control tokens."""
        ...

    def chat(self, message: str) -> str | None:
        """The text to go on from when a user says `message`; None if this is no model for chats."""
        ...


@dataclass(frozen=True)
class LanguageModel:
    """A model with its tokenizer.

    Attributes:
        name: for reports.
        model: over token ids.
        tokenizer: of the same ids.
        context_length: the most tokens a text may have.
    """

    name: str
    model: Model
    tokenizer: Tokenizer
    context_length: int

    def read(self, prompt: str) -> list[int]:
        """The ids to go on from when a user says this: within the template of a chat, if this is a model for chats."""
        chat = self.tokenizer.chat(prompt)
        return self.tokenizer.encode(prompt if chat is None else chat)
