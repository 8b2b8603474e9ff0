"""How a draft model of another vocabulary reads a text of the target's tokens.

The emitted ids are what the text is, and the model reads their bytes. What it cannot read it does without: a draft may be bad,
since every draft is verified, and is still never of the wrong law.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from draftproof.vocabulary import Vocabulary

Encode = Callable[[bytes], Sequence[int]]
"""From text to tokens, with nothing put in front: no start token, no space. A text may end within a character."""

Read = Callable[[Sequence[int]], Sequence[int]]
"""From the target's tokens to the draft's. A draft model that only says fewer tokens than it reads takes `list`."""

RUNS = 4096
"""Runs whose spelling is remembered: a long prompt is spelt once, not once a drafted token."""

BROKEN = re.compile("([\udc80-\udcff]+)")
"""What `surrogateescape` makes of bytes that are no text."""


def by_characters(encode: Callable[[str], Sequence[int]], vocabulary: Vocabulary) -> Encode:
    """The encoding of a tokenizer that takes characters; bytes that are none are spelt with the vocabulary."""

    def encoded(text: bytes) -> list[int]:
        ids: list[int] = []
        for place, part in enumerate(BROKEN.split(text.decode(errors="surrogateescape"))):
            if part:
                ids += vocabulary.spell(part.encode(errors="surrogateescape")) if place % 2 else encode(part)
        return ids

    return encoded


@dataclass(frozen=True, eq=False)
class Reading:
    """The target's tokens as the draft's: `counterparts` one for one, and each run of others spelt as the text it is.

    So what stands before a token is read the same whatever follows, except within a run. A control token without counterpart
    is left out.

    Attributes:
        target: the target's vocabulary.
        counterparts: from a token of the target to the draft's.
        encode: the draft's tokenizer.
        begin: tokens of the draft that stand before every text.
    """

    target: Vocabulary
    counterparts: Mapping[int, int]
    encode: Encode
    begin: tuple[int, ...] = ()

    def __call__(self, text: Sequence[int]) -> list[int]:
        ids = list(self.begin)
        for known, run in groupby(text, self.counterparts.__contains__):
            tokens = tuple(run)
            ids += [self.counterparts[token] for token in tokens] if known else self._spelt(tokens)
        return ids

    @cached_property
    def _spelt(self) -> Callable[[tuple[int, ...]], Sequence[int]]:
        return lru_cache(maxsize=RUNS)(lambda run: tuple(self.encode(self.target.bytes_of(run))))
