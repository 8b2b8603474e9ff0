"""Tokenizers of a few letters, for models whose vocabularies differ."""

from types import MappingProxyType
from typing import Any

LETTERS = MappingProxyType({"fewer": "ba", "more": "abcd", "more in another order": "cadb"})
"""By name: the letters of a draft, by token id. Those of a target are "abc"."""


def letters(alphabet: str) -> Any:
    """A tokenizer that takes a text letter by letter; the id of a letter is its place.

    Its vocabulary is listed in the order of the alphabet: not by id. The library's own tokenizers list theirs in an order
    that changes from process to process.
    """
    from tokenizers import Regex, Tokenizer
    from tokenizers.decoders import Fuse
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Sequence, Split, WhitespaceSplit
    from transformers import PreTrainedTokenizerFast

    ids = {letter: alphabet.index(letter) for letter in sorted(alphabet)}

    class Letters(PreTrainedTokenizerFast):  # type: ignore[misc]
        def get_vocab(self) -> dict[str, int]:
            return dict(ids)

    words = Tokenizer(WordLevel(ids))
    words.pre_tokenizer = Sequence([WhitespaceSplit(), Split(Regex("."), "isolated")])
    words.decoder = Fuse()
    return Letters(tokenizer_object=words)
