"""The bytes of every token id, and which tokens of two vocabularies are the same.

A text is the bytes of its tokens, one after another; nothing is cleaned up, stripped or put in front. So a token of
sentencepiece that begins a word begins with a space, at the start of a text too.

Three kinds of tokens need care. A control token writes nothing and goes by its name. A byte token of sentencepiece (`<0x41>`)
spells what no other token does, though an ordinary token may have the same bytes. Some tokens are parts of characters.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from draftproof.errors import BadRequest, Unsupported
from draftproof.shapes import Int

SPACE = "\u2581"
"""What sentencepiece writes for a space."""

BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class Kind(IntEnum):
    """The types of tokens in a GGUF file."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """What each token id writes. `first_difference` compares two.

    Attributes:
        tokens: the bytes of each id, b"" for one that writes nothing.
        controls: the ids that write nothing, and their names.
        fallbacks: the ids that spell single bytes which no other token has.

    Raises:
        BadRequest: the ids that write nothing are not those of `controls`, or a fallback is no token of one byte.
    """

    tokens: tuple[bytes, ...]
    controls: Mapping[int, str] = field(default_factory=dict)
    fallbacks: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        silent = {token for token, text in enumerate(self.tokens) if not text}
        for token in sorted(silent ^ self.controls.keys()):
            text = self.tokens[token] if 0 <= token < len(self) else None
            raise BadRequest(f"token {token} has the bytes {text!r}; the control tokens, and no others, must be b''")
        for token in sorted(self.fallbacks):
            if not 0 <= token < len(self) or len(self.tokens[token]) != 1:
                raise BadRequest(f"token {token} is called a byte token but is not a token of one byte")

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        return f"<a vocabulary of {len(self)} tokens>"

    @classmethod
    def from_gguf(cls, metadata: Mapping[str, Any]) -> "Vocabulary":
        """The vocabulary that a GGUF file describes: byte-level BPE (`gpt2`) or sentencepiece (`llama`).

        Args:
            metadata: key to value, lists as lists. Without `tokenizer.ggml.token_type` every token is an ordinary one.

        Raises:
            BadRequest: the file describes no tokens, or more or fewer types than tokens.
            Unsupported: another kind of tokenizer, or an unknown type of token.
        """
        model, names = metadata.get("tokenizer.ggml.model"), metadata.get("tokenizer.ggml.tokens")
        if names is None:
            raise BadRequest("this GGUF file holds no tokenizer.ggml.tokens; use one that was converted with its tokenizer")
        if model not in ("gpt2", "llama"):
            raise Unsupported(f"tokenizer.ggml.model is {model!r}; gpt2 (byte-level BPE) and llama (sentencepiece) can be read")
        kinds = metadata.get("tokenizer.ggml.token_type", [Kind.NORMAL] * len(names))
        if len(kinds) != len(names):
            raise BadRequest(f"this GGUF file has {len(names)} tokens and {len(kinds)} types of tokens")
        if unknown := set(kinds) - set(Kind):
            raise Unsupported(f"tokenizer.ggml.token_type holds {min(unknown)}; known are 1 to {max(Kind)}")
        return cls._spelt(((name, Kind(kind)) for name, kind in zip(names, kinds, strict=True)), byte_level=model == "gpt2")

    @classmethod
    def from_tokenizer(cls, tokenizer: Any, *, size: int | None = None) -> "Vocabulary":
        """The vocabulary of a tokenizer of the library `tokenizers`, or of one of `transformers` that is built on it.

        Args:
            size: the model's, if it has more ids than the tokenizer; those, and gaps, write nothing.

        Raises:
            BadRequest: a token id beyond `size`.
            Unsupported: no such tokenizer, or one that is neither byte-level nor sentencepiece.
        """
        fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if not hasattr(fast, "to_str") or not hasattr(fast, "get_vocab"):
            raise Unsupported(f"{type(tokenizer).__name__} is not built on the library tokenizers, so its tokens have no known bytes")
        described = json.loads(fast.to_str())
        steps = _decoding(described["decoder"])
        by_id = {token: name for name, token in fast.get_vocab(with_added_tokens=True).items()}
        last = max(by_id, default=-1)
        if size is not None and last >= size:
            raise BadRequest(f"the tokenizer has token {last} ({by_id[last]!r}), outside the model's vocabulary of {size}")
        kinds = {added["id"]: Kind.CONTROL if added["special"] else Kind.USER_DEFINED for added in described["added_tokens"]}
        if "ByteFallback" in steps:
            kinds = {token: Kind.BYTE for token, name in by_id.items() if BYTE.fullmatch(name)} | kinds
        # llama.cpp's converter gives a gap the same name and type, so both descriptions of one model agree.
        listed = (
            (by_id[token], kinds.get(token, Kind.NORMAL)) if token in by_id else (f"[PAD{token}]", Kind.UNUSED)
            for token in range(size or last + 1)
        )
        return cls._spelt(listed, byte_level="ByteLevel" in steps)

    @classmethod
    def _spelt(cls, listed: Iterable[tuple[str, Kind]], *, byte_level: bool) -> "Vocabulary":
        tokens: list[bytes] = []
        controls: dict[int, str] = {}
        fallbacks: set[int] = set()
        for token, (name, kind) in enumerate(listed):
            if kind is Kind.NORMAL and name:
                tokens.append(_byte_level(name) if byte_level else name.replace(SPACE, " ").encode())
            elif kind is Kind.USER_DEFINED and name:
                tokens.append(name.encode())
            elif kind is Kind.BYTE and (digits := BYTE.fullmatch(name)):
                tokens.append(bytes.fromhex(digits[1]))
                fallbacks.add(token)
            else:
                tokens.append(b"")
                controls[token] = name
        return cls(tuple(tokens), controls, frozenset(fallbacks))

    def bytes_of(self, ids: Sequence[int]) -> bytes:
        """The text that the tokens write.

        Raises:
            BadRequest: a token outside the vocabulary.
        """
        for token in ids:
            if not 0 <= token < len(self):
                raise BadRequest(f"token {token} is outside the vocabulary of {len(self)}")
        return b"".join([self.tokens[token] for token in ids])

    def spell(self, text: bytes) -> list[int]:
        """Tokens that write the text, the longest that fits each time; bytes that no token writes are left out.

        It is always at hand and takes any bytes, but it is not the tokenizer: a model was trained on other spellings.
        """
        return longest_first(text, self._ids, self._longest)

    def meaning(self, token: int) -> bytes | str:
        """What a token is: the bytes that it writes, or the name of a control token."""
        return self.controls.get(token, self.tokens[token])

    @cached_property
    def ids_by_meaning(self) -> dict[bytes | str, list[int]]:
        """The tokens of each meaning, ordinary ones before byte tokens, then by id."""
        ids: dict[bytes | str, list[int]] = {}
        for token in sorted(range(len(self)), key=lambda token: token in self.fallbacks):
            ids.setdefault(self.meaning(token), []).append(token)
        return ids

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return {text: ids[0] for text, ids in self.ids_by_meaning.items() if isinstance(text, bytes)}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._ids), default=0)


def longest_first(text: bytes, ids: Mapping[bytes, int], longest: int) -> list[int]:
    """The ids of a text cut into the longest keys that fit, of at most `longest` bytes; what begins no key is left out."""
    found: list[int] = []
    start = 0
    while start < len(text):
        sizes = range(min(longest, len(text) - start), 0, -1)
        size = next((size for size in sizes if text[start : start + size] in ids), 0)
        found += [ids[text[start : start + size]]] if size else []
        start += max(size, 1)
    return found


@dataclass(frozen=True, eq=False)
class TokenMap:
    """Which tokens of target and draft are the same: each token of either at most once.

    Attributes:
        pairs: (target token, draft token).
        target_vocab, draft_vocab: the sizes of the vocabularies.

    Raises:
        BadRequest: a token that comes twice or is outside its vocabulary.
        Unsupported: there is no pair.
    """

    pairs: tuple[tuple[int, int], ...]
    target_vocab: int
    draft_vocab: int

    def __post_init__(self) -> None:
        if not self.pairs:
            raise Unsupported("the two vocabularies share no token; a draft model could propose nothing")
        for side, vocab, ids in (("target", self.target_vocab, self.target_ids), ("draft", self.draft_vocab, self.draft_ids)):
            seen, counts = np.unique(ids, return_counts=True)
            if counts.max() > 1:
                raise BadRequest(
                    f"token {seen[counts.argmax()]} of the {side} comes {counts.max()} times in the map; one token, one counterpart"
                )
            if not 0 <= seen[0] <= seen[-1] < vocab:
                token = seen[0] if seen[0] < 0 else seen[-1]
                raise BadRequest(f"token {token} in the map is outside the {side}'s vocabulary of {vocab}")

    @cached_property
    def target_ids(self) -> Int[np.ndarray, " pairs"]:
        return np.array([target for target, _ in self.pairs], np.int64)

    @cached_property
    def draft_ids(self) -> Int[np.ndarray, " pairs"]:
        return np.array([draft for _, draft in self.pairs], np.int64)

    @cached_property
    def to_draft(self) -> dict[int, int]:
        return dict(self.pairs)


def shared(target: Vocabulary, draft: Vocabulary) -> TokenMap:
    """The tokens that two vocabularies share: of equal bytes, and control tokens of equal names.

    Where several ids of a vocabulary have the same bytes, the first of one are paired with the first of the other, ordinary
    tokens before byte tokens, and those left over have no counterpart.

    Raises:
        Unsupported: there are none.
    """
    theirs = draft.ids_by_meaning
    pairs = (pair for meaning, ids in target.ids_by_meaning.items() for pair in zip(ids, theirs.get(meaning, ()), strict=False))
    return TokenMap(tuple(sorted(pairs)), len(target), len(draft))


def first_difference(first: Vocabulary, second: Vocabulary) -> str | None:
    """Where two vocabularies that should be the same part, as a sentence; None if they are the same."""
    for token in range(min(len(first), len(second))):
        if first.meaning(token) != second.meaning(token):
            return f"token {token} is {_shown(first, token)} in the first vocabulary and {_shown(second, token)} in the second"
    if len(first) == len(second):
        return None
    longer, names = (first, ("first", "second")) if len(first) > len(second) else (second, ("second", "first"))
    end = min(len(first), len(second))
    return f"token {end} is {_shown(longer, end)} in the {names[0]} vocabulary and missing in the {names[1]}, which ends at {end - 1}"


def _shown(vocabulary: Vocabulary, token: int) -> str:
    meaning = vocabulary.meaning(token)
    if isinstance(meaning, str):
        return f"the control token {meaning!r}"
    try:
        return repr(meaning.decode())
    except UnicodeDecodeError:
        return repr(meaning)


def _printable_bytes() -> dict[str, int]:
    """The byte behind each character of a byte-level token: GPT-2 writes printable bytes as they are and lifts the others."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("\u00a1"), ord("\u00ac") + 1), *range(ord("\u00ae"), ord("\u00ff") + 1)]
    lifted = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + place): byte for place, byte in enumerate(lifted)}


BYTES = _printable_bytes()


def _byte_level(name: str) -> bytes:
    """The bytes of a token of byte-level BPE; one with a character outside the table was added by hand and stands for itself."""
    return bytes([BYTES[character] for character in name]) if all(character in BYTES for character in name) else name.encode()


def _decoding(decoder: Mapping[str, Any] | None) -> set[str]:
    """The steps by which the library `tokenizers` makes text of tokens.

    Raises:
        Unsupported: they are neither those of byte-level BPE nor of sentencepiece.
    """
    steps = [] if decoder is None else decoder["decoders"] if decoder["type"] == "Sequence" else [decoder]
    names = [step["type"] for step in steps]
    spaces = [step.get("replacement") or step["pattern"].get("String") for step in steps if step["type"] in ("Metaspace", "Replace")]
    if names == ["ByteLevel"] or (spaces == [SPACE] and set(names) <= {"Metaspace", "Replace", "ByteFallback", "Fuse", "Strip"}):
        return set(names)
    found = f"decodes by {', '.join(names)}" if names else "has no decoder"
    raise Unsupported(f"this tokenizer {found}; byte-level and sentencepiece tokenizers have tokens of known bytes")
